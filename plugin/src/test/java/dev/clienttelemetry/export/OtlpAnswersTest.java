/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static dev.clienttelemetry.export.Answer.NO_RETRY_AFTER;
import static dev.clienttelemetry.export.Answer.Outcome.CONTENT_REFUSED;
import static dev.clienttelemetry.export.Answer.Outcome.ENDPOINT_REFUSES;
import static dev.clienttelemetry.export.Answer.Outcome.RETRY;
import static dev.clienttelemetry.export.Answer.Outcome.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsPartialSuccess;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an endpoint's answers mean, by the OTLP specification. */
class OtlpAnswersTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "400, CONTENT_REFUSED",
        "401, ENDPOINT_REFUSES",
        "403, ENDPOINT_REFUSES",
        "404, ENDPOINT_REFUSES",
        "405, ENDPOINT_REFUSES",
        "408, ENDPOINT_REFUSES",
        "413, CONTENT_REFUSED",
        "415, ENDPOINT_REFUSES",
        "422, CONTENT_REFUSED",
        "429, RETRY",
        "500, ENDPOINT_REFUSES",
        "501, ENDPOINT_REFUSES",
        "502, RETRY",
        "503, RETRY",
        "504, TIMEOUT",
        "505, ENDPOINT_REFUSES"
    })
    void httpStatus(int status, Answer.Outcome outcome) {
        Answer answer = OtlpAnswers.http(status, null, "words", NOW);

        assertThat(answer.outcome()).isEqualTo(outcome);
        assertThat(answer.errorType()).isEqualTo(Integer.toString(status));
        assertThat(answer.detail()).startsWith("HTTP " + status + ": words");
    }

    @ParameterizedTest
    @CsvSource({
        "1, CANCELLED, RETRY",
        "2, UNKNOWN, ENDPOINT_REFUSES",
        "3, INVALID_ARGUMENT, CONTENT_REFUSED",
        "4, DEADLINE_EXCEEDED, TIMEOUT",
        "5, NOT_FOUND, ENDPOINT_REFUSES",
        "6, ALREADY_EXISTS, ENDPOINT_REFUSES",
        "7, PERMISSION_DENIED, ENDPOINT_REFUSES",
        "8, RESOURCE_EXHAUSTED, CONTENT_REFUSED",
        "9, FAILED_PRECONDITION, ENDPOINT_REFUSES",
        "10, ABORTED, RETRY",
        "11, OUT_OF_RANGE, RETRY",
        "12, UNIMPLEMENTED, ENDPOINT_REFUSES",
        "13, INTERNAL, ENDPOINT_REFUSES",
        "14, UNAVAILABLE, RETRY",
        "15, DATA_LOSS, RETRY",
        "16, UNAUTHENTICATED, ENDPOINT_REFUSES"
    })
    void grpcStatus(int code, String name, Answer.Outcome outcome) {
        Answer answer = OtlpAnswers.grpc(code, "words", null);

        assertThat(answer.outcome()).isEqualTo(outcome);
        assertThat(answer.errorType()).isEqualTo(name);
        assertThat(answer.detail()).startsWith("gRPC " + name + ": words");
        assertThat(answer.retryAfterNanos()).isEqualTo(NO_RETRY_AFTER);
    }

    @Test
    void remediesAreNamed() {
        assertThat(OtlpAnswers.http(401, null, "", NOW).detail()).contains("otel.exporter.otlp.headers");
        assertThat(OtlpAnswers.http(404, null, "", NOW).detail()).contains("otel.exporter.otlp.endpoint");
        assertThat(OtlpAnswers.grpc(16, "", null).detail()).contains("otel.exporter.otlp.headers");
        assertThat(OtlpAnswers.grpc(12, "", null).detail()).contains("otel.exporter.otlp.protocol");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "120, 120",
        "' 7 ', 7",
        "'Mon, 30 Nov 2026 12:00:30 GMT', 30",
        "'Mon, 30 Nov 2026 11:00:00 GMT', 0"
    })
    void retryAfterIsSecondsOrADate(String value, long seconds) {
        assertThat(OtlpAnswers.http(503, value, "", NOW).retryAfterNanos())
                .isEqualTo(TimeUnit.SECONDS.toNanos(seconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-1", "1.5", "Mon, 30 Foo 2026 12:00:30 GMT", "٣"})
    void anythingElseIsNoRetryAfter(String value) {
        assertThat(OtlpAnswers.http(429, value, "", NOW).retryAfterNanos()).isEqualTo(NO_RETRY_AFTER);
    }

    @Test
    void anEndlessRetryAfterIsThatLong() {
        assertThat(OtlpAnswers.http(429, "99999999999999999999", "", NOW).retryAfterNanos())
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aWaitThatIsAskedForIsToldAndHowMuchOfItIsWaited() {
        String info = details(com.google.rpc.RetryInfo.newBuilder()
                .setRetryDelay(
                        com.google.protobuf.Duration.newBuilder().setSeconds(2).setNanos(1))
                .build());

        String shortInfo = details(com.google.rpc.RetryInfo.newBuilder()
                .setRetryDelay(com.google.protobuf.Duration.newBuilder().setNanos(300_000_000))
                .build());

        assertThat(OtlpAnswers.http(503, "300", "", NOW).detail()).isEqualTo("HTTP 503; it asks to wait 300 s");
        assertThat(OtlpAnswers.http(503, "3600", "", NOW).detail())
                .isEqualTo("HTTP 503; it asks to wait 3600 s, of which at most 300 s are waited");
        assertThat(OtlpAnswers.http(503, "99999999999999999999", "", NOW).detail())
                .contains("it asks to wait 9223372037 s, of which at most 300 s");
        assertThat(OtlpAnswers.http(503, "0", "", NOW).detail()).isEqualTo("HTTP 503");
        assertThat(OtlpAnswers.grpc(8, "", info).detail()).isEqualTo("gRPC RESOURCE_EXHAUSTED; it asks to wait 3 s");
        assertThat(OtlpAnswers.grpc(8, "", shortInfo).detail())
                .isEqualTo("gRPC RESOURCE_EXHAUSTED; it asks to wait 300 ms");
    }

    @Test
    void resourceExhaustedIsRetriedOnlyWithRetryInfo() {
        String withInfo = details(com.google.rpc.RetryInfo.newBuilder()
                .setRetryDelay(
                        com.google.protobuf.Duration.newBuilder().setSeconds(2).setNanos(5))
                .build());
        String other =
                details(com.google.rpc.ErrorInfo.newBuilder().setReason("quota").build());

        assertThat(OtlpAnswers.grpc(8, "", withInfo).outcome()).isEqualTo(RETRY);
        assertThat(OtlpAnswers.grpc(8, "", withInfo).retryAfterNanos()).isEqualTo(2_000_000_005L);
        assertThat(OtlpAnswers.grpc(8, "", other).outcome()).isEqualTo(CONTENT_REFUSED);
        assertThat(OtlpAnswers.grpc(8, "", "not base64!").outcome()).isEqualTo(CONTENT_REFUSED);
    }

    @Test
    void retryInfoGoesWithOtherRetryableStatusesToo() {
        String info = details(com.google.rpc.RetryInfo.newBuilder()
                .setRetryDelay(com.google.protobuf.Duration.newBuilder().setSeconds(3))
                .build());

        assertThat(OtlpAnswers.grpc(14, "", info).retryAfterNanos()).isEqualTo(3_000_000_000L);
        assertThat(OtlpAnswers.grpc(4, "", info).outcome()).isEqualTo(TIMEOUT);
        assertThat(OtlpAnswers.grpc(16, "", info).outcome()).isEqualTo(ENDPOINT_REFUSES);
    }

    @Test
    void grpcMessagesArePercentDecodedAndMadeHarmless() {
        assertThat(OtlpAnswers.grpcMessage("caf%C3%A9 100% %zz%0Aforged%1b[31m"))
                .isEqualTo("café 100% %zz forged\\u001b[31m");
        assertThat(OtlpAnswers.grpcMessage("x".repeat(100_000))).hasSizeLessThan(320);
    }

    @Test
    void partialSuccessIsRead() {
        PartialSuccess partial = PartialSuccess.parse(ExportMetricsServiceResponse.newBuilder()
                .setPartialSuccess(ExportMetricsPartialSuccess.newBuilder()
                        .setRejectedDataPoints(7)
                        .setErrorMessage("no\nroom"))
                .build()
                .toByteArray());

        assertThat(partial).isEqualTo(new PartialSuccess(7, "no room"));
        assertThat(PartialSuccess.parse(new byte[0])).isEqualTo(new PartialSuccess(0, ""));
    }

    @Test
    void aResponseIsToldFromOtherBytes() {
        byte[] response = ExportMetricsServiceResponse.newBuilder()
                .setPartialSuccess(ExportMetricsPartialSuccess.newBuilder()
                        .setRejectedDataPoints(7)
                        .setErrorMessage("no room"))
                .build()
                .toByteArray();

        assertThat(PartialSuccess.isResponse(new byte[0])).isTrue();
        assertThat(PartialSuccess.isResponse(response)).isTrue();
        assertThat(PartialSuccess.isResponse(new byte[] {0x50, 0x01}))
                .as("a field of a later version")
                .isTrue();
        for (int length = 1; length < response.length; length++) {
            assertThat(PartialSuccess.isResponse(Arrays.copyOf(response, length)))
                    .as("cut after " + length)
                    .isFalse();
        }
        byte[] brokenInside = response.clone();
        brokenInside[brokenInside.length - 8] = 0x7F;
        assertThat(PartialSuccess.isResponse(brokenInside)).isFalse();
        assertThat(PartialSuccess.isResponse(new byte[] {0x08, 0x01}))
                .as("partial_success is a message")
                .isFalse();
        for (String text : List.of("<!DOCTYPE html>", "<html></html>", "OK", "{}", "not found")) {
            assertThat(PartialSuccess.isResponse(text.getBytes(StandardCharsets.US_ASCII)))
                    .as(text)
                    .isFalse();
        }
    }

    @Test
    void anyBytesAreReadWithoutHarm() {
        Random random = new Random(1);
        byte[] valid = ExportMetricsServiceResponse.newBuilder()
                .setPartialSuccess(ExportMetricsPartialSuccess.newBuilder()
                        .setRejectedDataPoints(-1)
                        .setErrorMessageBytes(ByteString.copyFromUtf8("message")))
                .build()
                .toByteArray();
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes;
            if (i % 2 == 0) {
                bytes = new byte[random.nextInt(40)];
                random.nextBytes(bytes);
            } else {
                bytes = valid.clone();
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            assertThat(PartialSuccess.parse(bytes).rejectedPoints()).isNotNegative();
            assertThat(OtlpAnswers.retryInfoNanos(Base64.getEncoder().encodeToString(bytes)))
                    .isGreaterThanOrEqualTo(-1);
            OtlpAnswers.statusMessage(bytes);
        }
    }

    private static String details(com.google.protobuf.Message detail) {
        byte[] status = com.google.rpc.Status.newBuilder()
                .setCode(8)
                .setMessage("exhausted")
                .addDetails(com.google.protobuf.Any.pack(
                        com.google.rpc.ErrorInfo.newBuilder().setReason("first").build()))
                .addDetails(com.google.protobuf.Any.pack(detail))
                .build()
                .toByteArray();
        return Base64.getEncoder().withoutPadding().encodeToString(status);
    }
}
