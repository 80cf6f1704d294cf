/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.subscription.InvalidSourceException;
import dev.clienttelemetry.subscription.SubscriptionFiles;
import dev.clienttelemetry.subscription.SubscriptionSet;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** Where the subscriptions that are wanted stand. */
final class SourceArgument {
    @Parameters(paramLabel = "PATH", description = "A YAML or properties file, or a directory of them.")
    private Path path;

    SubscriptionSet read() throws InvalidSourceException {
        return SubscriptionFiles.read(path);
    }

    /** Returns the path as it was given. */
    @Override
    public String toString() {
        return path.toString();
    }
}
