/**
 * What Kafka instantiates: the two reporter classes, their configuration, and the labels taken from the
 * request context. May use every other package; none may use it.
 */
package dev.clienttelemetry.reporter;
