/**
 * Kafka as real processes: a released version laid out from its artifacts, and brokers and controllers started from it
 * with jars of one's own in their {@code libs}. Uses no other package.
 */
package dev.clienttelemetry.examples.broker;
