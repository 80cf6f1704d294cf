/**
 * The instruments that every stage fills, and what shows them in JMX and OpenTelemetry. May use
 * {@code message}.
 */
package dev.clienttelemetry.metrics;
