/**
 * The assembly of all stages into one object with a lifecycle, and the worker thread that takes checked
 * pushes from the buffer, has {@code otlp} convert them and puts the chunks back. May use every package but
 * {@code reporter}.
 */
package dev.clienttelemetry.pipeline;
