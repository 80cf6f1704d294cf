/**
 * The bounded buffer, batching, retry and sending over OTLP. Handles chunks of bytes and never looks into
 * them; may use {@code instance}, {@code metrics} and {@code message}.
 */
package dev.clienttelemetry.export;
