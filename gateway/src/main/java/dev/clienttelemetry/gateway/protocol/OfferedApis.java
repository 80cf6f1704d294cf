/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import java.util.Collection;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** What clients are told of the two telemetry APIs: version 0 of both, whatever the upstream says. */
public final class OfferedApis {
    private OfferedApis() {}

    /**
     * Rewrites the upstream's answer to ApiVersions. An answer with an error lists no APIs and stays as it is.
     *
     * @param response changed in place
     */
    public static void offerTelemetry(ApiVersionsResponseData response) {
        if (response.errorCode() != Errors.NONE.code()) {
            return;
        }
        offer(response.apiKeys(), ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS);
        offer(response.apiKeys(), ApiKeys.PUSH_TELEMETRY);
    }

    private static void offer(ApiVersionCollection apis, ApiKeys api) {
        ApiVersion offered = apis.find(api.id);
        if (offered == null) {
            offered = new ApiVersion().setApiKey(api.id);
            // Not through ApiVersionCollection: its add takes a type that has moved between Kafka's releases.
            ((Collection<ApiVersion>) apis).add(offered);
        }
        offered.setMinVersion((short) 0).setMaxVersion((short) 0);
    }
}
