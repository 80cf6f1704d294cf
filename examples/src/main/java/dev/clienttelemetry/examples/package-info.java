/**
 * The quickstart: a real broker as its own process, real clients, an OTLP receiver made from the official artifacts.
 * Knows nothing of the plugin's classes: the jar is a file to it, as it is to a broker.
 */
package dev.clienttelemetry.examples;
