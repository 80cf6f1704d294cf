/**
 * A pushed payload on the wire: check, label, coalesce, turn delta into cumulative. Knows nothing of Kafka or of
 * sending; may use {@code instance} and {@code metrics}, but not {@code export}.
 */
package dev.clienttelemetry.otlp;
