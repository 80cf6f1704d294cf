/**
 * The instruments that every stage fills, and what shows them in JMX and OpenTelemetry. Uses no other package
 * of the plugin.
 */
package dev.clienttelemetry.metrics;
