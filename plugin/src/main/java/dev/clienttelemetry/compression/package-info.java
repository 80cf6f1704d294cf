/**
 * What compressed bytes show of their own form before anything decompresses them, and a gzip member's contents. Knows
 * nothing of pushes, and uses no other package of the plugin.
 */
package dev.clienttelemetry.compression;
