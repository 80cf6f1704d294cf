/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.cli;

import dev.clienttelemetry.message.Quoted;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a path. The empty one would be the working directory: most often a variable of a script that is not set. */
final class PathArgument implements ITypeConverter<Path> {
    @Override
    public Path convert(String value) {
        if (value.isBlank()) {
            throw new TypeConversionException("it is empty, and a path is right");
        }
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + Quoted.text(value) + "' is no path: " + e.getReason());
        }
    }
}
