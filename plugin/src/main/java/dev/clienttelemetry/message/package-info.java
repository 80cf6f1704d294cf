/**
 * What the messages to operators have in common: outside text made fit for one line, the causes of a failure, the known name
 * that was probably meant, and a limit on lines that would repeat. Uses no other package of the plugin.
 */
package dev.clienttelemetry.message;
