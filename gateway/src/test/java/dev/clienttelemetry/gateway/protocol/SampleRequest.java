/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;

/** Requests of every API and version, filled by the version's schema: two entries in every array. */
final class SampleRequest {
    private int next;

    private SampleRequest() {}

    static ApiMessage empty(ApiKeys api) {
        return api.messageType.newRequest();
    }

    static ApiMessage filled(ApiKeys api, short version) {
        ApiMessage request = api.messageType.newRequest();
        new SampleRequest().fill(request, api.messageType.requestSchemas()[version]);
        return overTheWire(request, api.messageType.newRequest(), version);
    }

    /** Writes a message and reads it again, as the other side would. */
    static <M extends ApiMessage> M overTheWire(ApiMessage message, M into, short version) {
        ByteBuffer bytes = MessageUtil.toByteBuffer(message, version);
        into.read(new ByteBufferAccessor(bytes), version);
        if (bytes.hasRemaining()) {
            throw new AssertionError(bytes.remaining() + " bytes left of " + message);
        }
        return into;
    }

    private void fill(Message message, Schema schema) {
        for (BoundField field : schema.fields()) {
            Method setter = setter(message, field.def.name);
            if (setter == null) {
                continue;
            }
            try {
                Object value = value(setter, field);
                if (value != null) {
                    setter.invoke(message, value);
                }
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new AssertionError(setter.toString(), e);
            }
        }
    }

    private static Method setter(Message message, String field) {
        StringBuilder name = new StringBuilder("set");
        for (String word : field.split("_")) {
            if (!word.isEmpty()) {
                name.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
            }
        }
        for (Method method : message.getClass().getMethods()) {
            if (method.getName().contentEquals(name) && method.getParameterCount() == 1) {
                return method;
            }
        }
        return null;
    }

    private Object value(Method setter, BoundField field) {
        Class<?> type = setter.getParameterTypes()[0];
        if (type == String.class) {
            return "sample-" + next++;
        } else if (type == short.class) {
            return (short) 1;
        } else if (type == int.class) {
            return next++;
        } else if (type == long.class) {
            return (long) next++;
        } else if (type == byte.class) {
            return (byte) 1;
        } else if (type == boolean.class) {
            return true;
        } else if (type == Uuid.class) {
            return Uuid.randomUuid();
        } else if (type == byte[].class) {
            return new byte[] {1};
        } else if (Collection.class.isAssignableFrom(type)) {
            return collection(setter, type, field);
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    private Object collection(Method setter, Class<?> type, BoundField field) {
        try {
            Collection<Object> collection = type == List.class
                    ? new ArrayList<>()
                    : (Collection<Object>) type.getDeclaredConstructor().newInstance();
            Class<?> element = type == List.class
                    ? (Class<?>) ((ParameterizedType) setter.getGenericParameterTypes()[0]).getActualTypeArguments()[0]
                    : type.getEnclosingClass()
                            .getClassLoader()
                            .loadClass(type.getName().replace("Collection", ""));
            for (int i = 0; i < 2; i++) {
                if (Message.class.isAssignableFrom(element) && !Modifier.isAbstract(element.getModifiers())) {
                    Message entry = (Message) element.getDeclaredConstructor().newInstance();
                    fill(entry, (Schema) field.def.type.arrayElementType().orElseThrow());
                    collection.add(entry);
                } else if (element == String.class) {
                    collection.add("sample-" + next++);
                } else if (element == Integer.class) {
                    collection.add(next++);
                } else if (element == Byte.class) {
                    collection.add((byte) 1);
                } else if (element == Uuid.class) {
                    collection.add(Uuid.randomUuid());
                }
            }
            return collection;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(setter.toString(), e);
        }
    }
}
