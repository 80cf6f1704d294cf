/** The quickstart: options, the demo's clients, the table of what arrived. May use the other packages; none may use it. */
package dev.clienttelemetry.examples.quickstart;
