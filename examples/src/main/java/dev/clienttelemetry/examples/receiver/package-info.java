/**
 * A small OTLP backend for metrics, gRPC and HTTP/protobuf, made from the official protobuf and gRPC artifacts. Keeps
 * nothing of what it receives: whoever listens does. Uses no other package.
 */
package dev.clienttelemetry.examples.receiver;
