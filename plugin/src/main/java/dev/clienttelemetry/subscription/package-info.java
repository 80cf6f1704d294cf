/**
 * A CLIENT_METRICS subscription: its model, its match selectors, compiling the set for a client; the
 * ConfigProvider that supplies subscriptions and the synchronizer that applies them. May use {@code metrics}
 * and {@code message}.
 */
package dev.clienttelemetry.subscription;
