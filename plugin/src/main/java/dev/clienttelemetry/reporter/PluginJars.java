/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.reporter;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;

/** Where the plugin is on the class path: more than once where an older jar was not deleted. */
final class PluginJars {
    private static final String A_CLASS_OF_OURS = BrokerReporter.class.getName().replace('.', '/') + ".class";

    private PluginJars() {}

    /**
     * Returns the places of the plugin in the order in which classes are looked for.
     *
     * @param loader what loads the plugin
     */
    static List<String> of(ClassLoader loader) {
        try {
            return Collections.list(loader.getResources(A_CLASS_OF_OURS)).stream()
                    .map(PluginJars::place)
                    .distinct()
                    .toList();
        } catch (IOException unreadable) {
            // It is loaded, so one can be read; whether there are others does not matter enough.
            return List.of();
        }
    }

    private static String place(URL url) {
        String text = url.toString();
        String jar = text.startsWith("jar:") ? text.substring("jar:".length()) : text;
        int inside = jar.indexOf("!/");
        return inside >= 0 ? jar.substring(0, inside) : jar.substring(0, jar.length() - A_CLASS_OF_OURS.length());
    }
}
