/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.subscription;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.apache.kafka.common.config.ConfigException;

/** The Kafka whose classes are here. */
public final class RunningKafka {
    // The class that tells it is another one in 4.4; the resource has been the same in all versions.
    private static final String RESOURCE = "/kafka/kafka-version.properties";

    private RunningKafka() {}

    /** Returns its version, for example 4.4.0; null where it does not say. */
    public static String version() {
        try (InputStream in = ConfigException.class.getResourceAsStream(RESOURCE)) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version");
        } catch (IOException e) {
            return null;
        }
    }
}
