/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class InvalidRequestAnswersTest {
    private static final short INVALID_REQUEST = Errors.INVALID_REQUEST.code();

    private record Request(ApiKeys api, short version) {
        Schema responseSchema() {
            return api.messageType.responseSchemas()[version];
        }

        boolean hasTopLevelError() {
            return Arrays.stream(responseSchema().fields()).anyMatch(field -> field.def.name.equals("error_code"));
        }
    }

    private static Stream<Request> requestsWithHeaderV2() {
        List<Request> requests = new ArrayList<>();
        for (ApiKeys api : ApiKeys.values()) {
            for (short version = api.messageType.lowestSupportedVersion();
                    version <= api.messageType.highestSupportedVersion(true);
                    version++) {
                if (api.requestHeaderVersion(version) >= ConnectionClientInstanceId.HEADER_VERSION) {
                    requests.add(new Request(api, version));
                }
            }
        }
        return requests.stream();
    }

    @TestFactory
    Stream<DynamicTest> everyApiAndVersionCarriesInvalidRequestInItsOwnResponse() {
        return requestsWithHeaderV2()
                .map(r -> dynamicTest(r.api + " v" + r.version, () -> {
                    ApiMessage request = SampleRequest.filled(r.api, r.version);

                    ApiMessage answer =
                            InvalidRequestAnswers.to(r.api, r.version, request).orElseThrow();

                    ApiMessage received = SampleRequest.overTheWire(answer, r.api.messageType.newResponse(), r.version);
                    assertThat(received.apiKey()).isEqualTo(r.api.id);
                    assertThat(errorCodes(received, r.responseSchema()))
                            .isNotEmpty()
                            .containsOnly(INVALID_REQUEST);
                    // Kafka answers a DescribeLogDirs v2 without any error.
                    if (!r.hasTopLevelError() && r.api != ApiKeys.DESCRIBE_LOG_DIRS) {
                        Map<Errors, Integer> counted = errorCounts(r, answer);
                        assertThat(counted).containsOnlyKeys(Errors.INVALID_REQUEST);
                        kafkasOwn(r, request).ifPresent(own -> assertThat(counted)
                                .as("entries, as Kafka answers")
                                .isEqualTo(own));
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> aRequestWithoutEntriesIsAnsweredWhereThereIsATopLevelErrorAndNotElsewhere() {
        return requestsWithHeaderV2()
                .map(r -> dynamicTest(r.api + " v" + r.version, () -> {
                    Optional<ApiMessage> answer =
                            InvalidRequestAnswers.to(r.api, r.version, SampleRequest.empty(r.api));

                    // A log directory is the broker's, so that one needs none in the request.
                    boolean room = r.hasTopLevelError() || r.api == ApiKeys.DESCRIBE_LOG_DIRS;
                    assertThat(answer.isPresent()).isEqualTo(room);
                    if (room) {
                        ApiMessage received =
                                SampleRequest.overTheWire(answer.get(), r.api.messageType.newResponse(), r.version);
                        assertThat(errorCodes(received, r.responseSchema()))
                                .isNotEmpty()
                                .containsOnly(INVALID_REQUEST);
                    }
                }));
    }

    @Test
    void aProduceWithoutAcksHasNoAnswer() {
        ProduceRequestData request =
                ((ProduceRequestData) SampleRequest.filled(ApiKeys.PRODUCE, (short) 9)).setAcks((short) 0);

        assertThat(InvalidRequestAnswers.to(ApiKeys.PRODUCE, (short) 9, request))
                .isEmpty();
    }

    @Test
    void aVersionWhoseEntriesAreNotKnownHasNoAnswer() {
        ApiMessage request = SampleRequest.filled(ApiKeys.PRODUCE, ApiKeys.PRODUCE.latestVersion());

        assertThat(InvalidRequestAnswers.to(ApiKeys.PRODUCE, (short) (ApiKeys.PRODUCE.latestVersion() + 1), request))
                .isEmpty();
    }

    private static Map<Errors, Integer> errorCounts(Request r, ApiMessage answer) {
        ByteBuffer bytes = MessageUtil.toByteBuffer(answer, r.version);
        return AbstractResponse.parseResponse(r.api, bytes, r.version).errorCounts();
    }

    /** Kafka's own error response, where it has one: several of them throw. */
    private static Optional<Map<Errors, Integer>> kafkasOwn(Request r, ApiMessage request) {
        try {
            return Optional.of(
                    AbstractRequest.parseRequest(r.api, r.version, MessageUtil.toByteBuffer(request, r.version))
                            .request
                            .getErrorResponse(0, new InvalidRequestException(""))
                            .errorCounts());
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Every error code that the version's schema has, at all levels. */
    private static List<Short> errorCodes(Message message, Schema schema) throws ReflectiveOperationException {
        List<Short> codes = new ArrayList<>();
        for (BoundField field : schema.fields()) {
            if (field.def.name.equals("error_code")) {
                codes.add((Short) message.getClass().getMethod("errorCode").invoke(message));
            } else if (field.def.name.equals("partition_error_code")) {
                codes.add((Short)
                        message.getClass().getMethod("partitionErrorCode").invoke(message));
            } else if (field.def.type.isArray()
                    && field.def.type.arrayElementType().orElse(null) instanceof Schema inner) {
                Collection<?> entries = (Collection<?>)
                        message.getClass().getMethod(camelCase(field.def.name)).invoke(message);
                if (entries != null) {
                    for (Object entry : entries) {
                        codes.addAll(errorCodes((Message) entry, inner));
                    }
                }
            }
        }
        return codes;
    }

    private static String camelCase(String field) {
        StringBuilder name = new StringBuilder();
        for (String word : field.split("_")) {
            name.append(name.isEmpty() ? word.charAt(0) : Character.toUpperCase(word.charAt(0)))
                    .append(word, 1, word.length());
        }
        return name.toString();
    }
}
