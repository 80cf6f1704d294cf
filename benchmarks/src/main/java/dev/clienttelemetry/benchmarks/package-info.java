/**
 * What a push costs at each stage and altogether, with the payloads of real clients, beside what the usual way of
 * decoding it costs.
 */
package dev.clienttelemetry.benchmarks;
