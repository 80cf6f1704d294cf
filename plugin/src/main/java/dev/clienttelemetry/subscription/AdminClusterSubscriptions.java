/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import dev.clienttelemetry.message.Quoted;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RetriableException;

/** The subscriptions of a cluster that is reached by Kafka's Admin client, 3.7 to 4.4. For one thread. */
public final class AdminClusterSubscriptions implements ClusterSubscriptions {
    /** At most three records each in the controller's log, of the 10,000 that it takes at once. */
    private static final int MAX_PORTION = 500;
    /** Far below what the controller's log takes as one batch, 8 MiB, and a broker as one request. */
    private static final int MAX_PORTION_CHARACTERS = 1 << 20;

    private final Admin admin;
    private final long timeoutMs;

    /**
     * Creates the access; closes the Admin client with itself.
     *
     * @param admin a client of the cluster
     * @param timeout how long one answer may take
     */
    public AdminClusterSubscriptions(Admin admin, Duration timeout) {
        this.admin = admin;
        this.timeoutMs = timeout.toMillis();
    }

    @Override
    public SortedSet<Integer> liveBrokers() throws ClusterException {
        SortedSet<Integer> ids = new TreeSet<>();
        for (Node node : answer("Listing the brokers", admin.describeCluster().nodes())) {
            ids.add(node.id());
        }
        return ids;
    }

    @Override
    public Map<String, Map<String, String>> read() throws ClusterException {
        List<ConfigResource> resources = new ArrayList<>();
        for (String name : names()) {
            resources.add(resource(name));
        }
        Map<String, Map<String, String>> subscriptions = new TreeMap<>();
        if (resources.isEmpty()) {
            return subscriptions;
        }
        answer("Describing the subscriptions", admin.describeConfigs(resources).all())
                .forEach((resource, config) -> subscriptions.put(resource.name(), dynamicEntries(config)));
        return subscriptions;
    }

    private static Map<String, String> dynamicEntries(Config config) {
        Map<String, String> entries = new TreeMap<>();
        for (ConfigEntry entry : config.entries()) {
            if (entry.source() == ConfigEntry.ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG) {
                entries.put(entry.name(), entry.value());
            }
        }
        return entries;
    }

    /**
     * Lists the subscriptions by the method that this Kafka has: {@code listClientMetricsResources} came with 3.7 and is
     * deprecated since 4.1, where {@code listConfigResources} takes its place.
     */
    private Collection<String> names() throws ClusterException {
        Set<String> names = new TreeSet<>();
        Method list = listMethod();
        if (list.getParameterCount() == 0) {
            Object result = invoke(list, admin);
            for (Object listing : answer("Listing the subscriptions", all(result))) {
                names.add((String) invoke(method(listing.getClass(), "name"), listing));
            }
        } else {
            Object options = newInstance(list.getParameterTypes()[1]);
            Object result = invoke(list, admin, Set.of(ConfigResource.Type.CLIENT_METRICS), options);
            for (Object resource : answer("Listing the subscriptions", all(result))) {
                names.add(((ConfigResource) resource).name());
            }
        }
        return names;
    }

    private static Method listMethod() throws ClusterException {
        Method older = null;
        for (Method method : Admin.class.getMethods()) {
            if (method.getName().equals("listConfigResources") && method.getParameterCount() == 2) {
                return method;
            }
            if (method.getName().equals("listClientMetricsResources") && method.getParameterCount() == 0) {
                older = method;
            }
        }
        if (older == null) {
            throw new ClusterException(
                    "This Kafka's Admin client cannot list client metrics subscriptions; 3.7 and later can", null);
        }
        return older;
    }

    @SuppressWarnings("unchecked")
    private static KafkaFuture<Collection<Object>> all(Object result) {
        return (KafkaFuture<Collection<Object>>) invoke(method(result.getClass(), "all"), result);
    }

    private static Method method(Class<?> type, String name) {
        try {
            return type.getMethod(name);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object newInstance(Class<?> type) {
        try {
            return type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object invoke(Method method, Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Map<String, String> apply(List<SubscriptionChange> changes) throws ClusterException {
        Map<String, String> refused = new TreeMap<>();
        for (List<SubscriptionChange> portion : portions(changes)) {
            apply(portion, refused);
        }
        return refused;
    }

    /** Kafka refuses a request as a whole whose changes are more than it writes at once. */
    static List<List<SubscriptionChange>> portions(List<SubscriptionChange> changes) {
        List<List<SubscriptionChange>> portions = new ArrayList<>();
        int first = 0;
        long characters = 0;
        for (int i = 0; i < changes.size(); i++) {
            long more = characters(changes.get(i));
            if (i > first && (i - first == MAX_PORTION || characters + more > MAX_PORTION_CHARACTERS)) {
                portions.add(changes.subList(first, i));
                first = i;
                characters = 0;
            }
            characters += more;
        }
        if (first < changes.size()) {
            portions.add(changes.subList(first, changes.size()));
        }
        return portions;
    }

    private static long characters(SubscriptionChange change) {
        long characters = change.name().length();
        for (SubscriptionChange.Field field : change.fields()) {
            characters += field.to() == null ? 0 : field.to().length();
        }
        return characters;
    }

    private void apply(List<SubscriptionChange> changes, Map<String, String> refused) throws ClusterException {
        Map<ConfigResource, Collection<AlterConfigOp>> operations = new LinkedHashMap<>();
        for (SubscriptionChange change : changes) {
            List<AlterConfigOp> ops = new ArrayList<>();
            for (SubscriptionChange.Field field : change.fields()) {
                ops.add(new AlterConfigOp(
                        new ConfigEntry(field.key(), field.to()),
                        field.to() == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET));
            }
            operations.put(resource(change.name()), ops);
        }
        Map<ConfigResource, KafkaFuture<Void>> answers =
                admin.incrementalAlterConfigs(operations).values();
        for (Map.Entry<ConfigResource, KafkaFuture<Void>> answer : answers.entrySet()) {
            try {
                answer("Changing the subscription", answer.getValue());
            } catch (ClusterException e) {
                if (e.getCause() instanceof RetriableException
                        || e.getCause() instanceof InterruptedException
                        || e.getCause() instanceof TimeoutException) {
                    throw e;
                }
                refused.put(answer.getKey().name(), e.getMessage());
            }
        }
    }

    private static ConfigResource resource(String name) {
        return new ConfigResource(ConfigResource.Type.CLIENT_METRICS, name);
    }

    private <T> T answer(String asked, KafkaFuture<T> future) throws ClusterException {
        try {
            return future.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw failure(asked, e.getCause());
        } catch (TimeoutException e) {
            throw failure(asked, new TimeoutException("no answer within " + timeoutMs + " ms"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(asked, e);
        } catch (KafkaException e) {
            throw failure(asked, e);
        }
    }

    private static ClusterException failure(String asked, Throwable cause) {
        String message = cause.getMessage() == null ? "" : ": " + Quoted.text(cause.getMessage());
        return new ClusterException(asked + " failed: " + cause.getClass().getSimpleName() + message, cause);
    }

    @Override
    public void close() {
        // Whatever is under way is not waited for: nothing here is half done without being seen at the next comparison.
        admin.close(Duration.ZERO);
    }
}
