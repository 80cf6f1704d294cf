/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import dev.clienttelemetry.instance.Client;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.util.Optional;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;

/**
 * The client behind a request, read from the context that the host passes. What the context does not know is null and
 * no label. Stateless but for what was looked up once per class of context.
 *
 * <p>The client's software and port are not in Kafka's public API: they are public fields of the class that the broker
 * passes ({@code RequestContext}), the port since 3.8. They are looked up by name, and missing where they are not found.
 */
final class RequestClient {
    private static final ClassValue<Fields> FIELDS = new ClassValue<>() {
        @Override
        protected Fields computeValue(Class<?> contextClass) {
            return Fields.of(contextClass);
        }
    };

    private RequestClient() {}

    /**
     * Returns the client of a request.
     *
     * @param context what the host passes, may be null
     * @param known the client as the same instance's last push had it, or null
     * @return {@code known} where nothing has changed
     */
    static Client of(AuthorizableRequestContext context, Client known) {
        if (context == null) {
            return known == null ? new Client(null, null, null, null, null, null, null, null) : known;
        }
        Fields fields = FIELDS.get(context.getClass());
        Object information = fields.clientInformation(context);
        String softwareName = fields.softwareName(information);
        String softwareVersion = fields.softwareVersion(information);
        Integer port = fields.clientPort(context);
        KafkaPrincipal principal = context.principal();
        InetAddress address = context.clientAddress();
        SecurityProtocol protocol = context.securityProtocol();
        String sourceAddress = address == null ? null : address.getHostAddress();
        String securityProtocol = protocol == null ? null : protocol.name;
        if (known != null
                && Client.isKeptOf(known.clientId(), context.clientId())
                && Client.isKeptOf(known.softwareName(), softwareName)
                && Client.isKeptOf(known.softwareVersion(), softwareVersion)
                && Client.isKeptOf(known.sourceAddress(), sourceAddress)
                && isText(known.sourcePort(), port)
                && isText(known.principal(), principal)
                && Client.isKeptOf(known.listenerName(), context.listenerName())
                && Client.isKeptOf(known.securityProtocol(), securityProtocol)) {
            return known;
        }
        return new Client(
                context.clientId(),
                softwareName,
                softwareVersion,
                sourceAddress,
                port == null ? null : port.toString(),
                principal == null ? null : principal.toString(),
                context.listenerName(),
                securityProtocol);
    }

    /** Whether a text is what {@code principal.toString()} would give, without building that. */
    private static boolean isText(String text, KafkaPrincipal principal) {
        if (text == null || principal == null) {
            return text == null && principal == null;
        }
        if (principal.getClass() != KafkaPrincipal.class) {
            return Client.isKeptOf(text, principal.toString());
        }
        String type = principal.getPrincipalType();
        String name = principal.getName();
        if (type.length() + 1 + name.length() > Client.MAX_VALUE_BYTES / 3) {
            // Perhaps cut; nothing usual is so long.
            return Client.isKeptOf(text, principal.toString());
        }
        return text.length() == type.length() + 1 + name.length()
                && text.startsWith(type)
                && text.charAt(type.length()) == ':'
                && text.endsWith(name);
    }

    private static boolean isText(String text, Integer port) {
        if (text == null || port == null) {
            return text == null && port == null;
        }
        int rest = port;
        for (int i = text.length() - 1; i >= 0; i--) {
            if (text.charAt(i) != '0' + rest % 10) {
                return false;
            }
            rest /= 10;
        }
        return rest == 0;
    }

    /** What one class of context has beyond the public API; each is null where it has not. */
    private record Fields(MethodHandle information, MethodHandle name, MethodHandle version, MethodHandle port) {
        private static final MethodType GETTER = MethodType.methodType(Object.class, Object.class);

        static Fields of(Class<?> contextClass) {
            Class<?> informationClass = null;
            try {
                informationClass = contextClass.getField("clientInformation").getType();
            } catch (ReflectiveOperationException | RuntimeException | LinkageError missing) {
                // Another host, or a Kafka that keeps it elsewhere: the labels are left out.
            }
            return new Fields(
                    field(contextClass, "clientInformation"),
                    method(informationClass, "softwareName"),
                    method(informationClass, "softwareVersion"),
                    field(contextClass, "clientPort"));
        }

        private static MethodHandle field(Class<?> owner, String name) {
            try {
                return MethodHandles.publicLookup()
                        .unreflectGetter(owner.getField(name))
                        .asType(GETTER);
            } catch (ReflectiveOperationException | RuntimeException | LinkageError missing) {
                return null;
            }
        }

        private static MethodHandle method(Class<?> owner, String name) {
            if (owner == null) {
                return null;
            }
            try {
                return MethodHandles.publicLookup()
                        .unreflect(owner.getMethod(name))
                        .asType(GETTER);
            } catch (ReflectiveOperationException | RuntimeException | LinkageError missing) {
                return null;
            }
        }

        Object clientInformation(Object context) {
            return get(information, context);
        }

        String softwareName(Object clientInformation) {
            return get(name, clientInformation) instanceof String text ? text : null;
        }

        String softwareVersion(Object clientInformation) {
            return get(version, clientInformation) instanceof String text ? text : null;
        }

        Integer clientPort(Object context) {
            return get(port, context) instanceof Optional<?> known && known.orElse(null) instanceof Integer number
                    ? number
                    : null;
        }

        private static Object get(MethodHandle getter, Object from) {
            if (getter == null || from == null) {
                return null;
            }
            try {
                return getter.invokeExact(from);
            } catch (Throwable unexpected) {
                return null;
            }
        }
    }
}
