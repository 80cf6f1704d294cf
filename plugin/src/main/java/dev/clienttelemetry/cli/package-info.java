/**
 * The command line {@code client-metrics}. May use {@code subscription} and {@code message}.
 */
package dev.clienttelemetry.cli;
