/** The packaged jar in real brokers, with real clients and a real OTLP receiver. */
package dev.clienttelemetry.it;
