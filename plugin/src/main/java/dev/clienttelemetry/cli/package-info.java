/**
 * The command line {@code client-metrics}. May use {@code subscription}.
 */
package dev.clienttelemetry.cli;
