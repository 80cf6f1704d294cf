/**
 * What compressed bytes show of their own form before anything decompresses them, a gzip member's contents, and a bound on
 * what any other stream decompresses to. Knows nothing of pushes, and uses no other package of the plugin.
 */
package dev.clienttelemetry.compression;
