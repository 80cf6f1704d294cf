/**
 * The client instances seen by this broker: who they are, when they pushed, when they expire. Kept in memory
 * only and bounded; may use {@code metrics}.
 */
package dev.clienttelemetry.instance;
