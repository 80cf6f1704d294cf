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
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
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

    private static String remedy(String at) {
        return switch (at == null ? "" : at) {
            case "" -> "";
            case "headers" -> "; check the credentials in otel.exporter.otlp.headers";
            case "endpoint" ->
                "; check host, port and path in otel.exporter.otlp.endpoint, and otel.exporter.otlp.protocol";
            case "log" -> "; see the backend's log";
            default -> throw new IllegalArgumentException(at);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "400, CONTENT_REFUSED,",
        "401, ENDPOINT_REFUSES, headers",
        "402, ENDPOINT_REFUSES, endpoint",
        "403, ENDPOINT_REFUSES, headers",
        "404, ENDPOINT_REFUSES, endpoint",
        "405, ENDPOINT_REFUSES, endpoint",
        "406, ENDPOINT_REFUSES, endpoint",
        "407, ENDPOINT_REFUSES, headers",
        "408, ENDPOINT_REFUSES, endpoint",
        "413, CONTENT_REFUSED,",
        "415, ENDPOINT_REFUSES, endpoint",
        "422, CONTENT_REFUSED,",
        "429, RETRY,",
        "499, ENDPOINT_REFUSES, endpoint",
        "500, ENDPOINT_REFUSES, log",
        "501, ENDPOINT_REFUSES, log",
        "502, RETRY,",
        "503, RETRY,",
        "504, TIMEOUT,",
        "505, ENDPOINT_REFUSES, log"
    })
    void httpStatus(int status, Answer.Outcome outcome, String remedy) {
        assertThat(OtlpAnswers.http(status, null, "words", NOW))
                .isEqualTo(Answer.of(outcome, Integer.toString(status), "HTTP " + status + ": words" + remedy(remedy)));
    }

    @ParameterizedTest
    @CsvSource({
        "-1, code -1, ENDPOINT_REFUSES, log",
        "0, OK, ENDPOINT_REFUSES, log",
        "1, CANCELLED, RETRY,",
        "2, UNKNOWN, ENDPOINT_REFUSES, log",
        "3, INVALID_ARGUMENT, CONTENT_REFUSED,",
        "4, DEADLINE_EXCEEDED, TIMEOUT,",
        "5, NOT_FOUND, ENDPOINT_REFUSES, endpoint",
        "6, ALREADY_EXISTS, ENDPOINT_REFUSES, log",
        "7, PERMISSION_DENIED, ENDPOINT_REFUSES, headers",
        "8, RESOURCE_EXHAUSTED, CONTENT_REFUSED,",
        "9, FAILED_PRECONDITION, ENDPOINT_REFUSES, log",
        "10, ABORTED, RETRY,",
        "11, OUT_OF_RANGE, RETRY,",
        "12, UNIMPLEMENTED, ENDPOINT_REFUSES, endpoint",
        "13, INTERNAL, ENDPOINT_REFUSES, log",
        "14, UNAVAILABLE, RETRY,",
        "15, DATA_LOSS, RETRY,",
        "16, UNAUTHENTICATED, ENDPOINT_REFUSES, headers",
        "17, code 17, ENDPOINT_REFUSES, log"
    })
    void grpcStatus(int code, String name, Answer.Outcome outcome, String remedy) {
        assertThat(OtlpAnswers.grpc(code, "words", null))
                .isEqualTo(Answer.of(outcome, name, "gRPC " + name + ": words" + remedy(remedy)));
        assertThat(OtlpAnswers.grpc(code, "", null).detail()).isEqualTo("gRPC " + name + remedy(remedy));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "120, 120",
        "' 7 ', 7",
        "999999999, 999999999",
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
        for (String endless : List.of("1000000000", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT")) {
            assertThat(OtlpAnswers.http(429, endless, "", NOW).retryAfterNanos())
                    .as(endless)
                    .isEqualTo(Long.MAX_VALUE);
        }
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
        assertThat(OtlpAnswers.http(503, "1", "", NOW).detail()).isEqualTo("HTTP 503; it asks to wait 1 s");
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
    void retryInfoIsFoundOnlyWhereItBelongs() {
        com.google.protobuf.Any none = com.google.protobuf.Any.pack(com.google.rpc.RetryInfo.getDefaultInstance());
        UnknownFieldSet.Field content = UnknownFieldSet.Field.newBuilder()
                .addLengthDelimited(none.toByteString())
                .build();
        UnknownFieldSet.Field number =
                UnknownFieldSet.Field.newBuilder().addVarint(7).build();

        assertThat(retryInfoNanos(UnknownFieldSet.newBuilder().addField(3, content)))
                .as("no time to wait")
                .isZero();
        assertThat(retryInfoNanos(UnknownFieldSet.newBuilder().addField(4, content)))
                .isEqualTo(NO_RETRY_AFTER);
        assertThat(retryInfoNanos(UnknownFieldSet.newBuilder().addField(3, number)))
                .isEqualTo(NO_RETRY_AFTER);
    }

    private static long retryInfoNanos(UnknownFieldSet.Builder status) {
        return OtlpAnswers.retryInfoNanos(
                Base64.getEncoder().encodeToString(status.build().toByteArray()));
    }

    @Test
    void aStatusSaysWhy() {
        byte[] status = com.google.rpc.Status.newBuilder()
                .setCode(8)
                .setMessage("quota\nof today")
                .addDetails(com.google.protobuf.Any.newBuilder().setTypeUrl("other"))
                .build()
                .toByteArray();

        assertThat(OtlpAnswers.statusMessage(status)).isEqualTo("quota of today");
        assertThat(OtlpAnswers.statusMessage(new byte[0])).isEmpty();
    }

    @Test
    void grpcMessagesArePercentDecodedAndMadeHarmless() {
        assertThat(OtlpAnswers.grpcMessage("caf%C3%A9 100% %zz%0Aforged%1b[31m"))
                .isEqualTo("café 100% %zz forged\\u001b[31m");
        assertThat(OtlpAnswers.grpcMessage("a%20b %2g %g2 %6F%F0")).isEqualTo("a b %2g %g2 o\uFFFD");
        assertThat(OtlpAnswers.grpcMessage("50%")).isEqualTo("50%");
        assertThat(OtlpAnswers.grpcMessage("50%2")).isEqualTo("50%2");
        assertThat(OtlpAnswers.grpcMessage(null)).isEmpty();
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

    /** A later version of OTLP may put any fields beside those that are known. */
    @Test
    void fieldsThatAreNotKnownAreLeftOut() {
        UnknownFieldSet unknown = UnknownFieldSet.newBuilder()
                .addField(16, UnknownFieldSet.Field.newBuilder().addFixed32(-1).build())
                .addField(17, UnknownFieldSet.Field.newBuilder().addFixed64(-1).build())
                .addField(18, UnknownFieldSet.Field.newBuilder().addVarint(-1).build())
                .addField(
                        19,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8("\u0008\u0001"))
                                .build())
                .addField(20, UnknownFieldSet.Field.newBuilder().addVarint(0).build())
                .addField(
                        21,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.EMPTY)
                                .build())
                .build();
        byte[] partial = ExportMetricsServiceResponse.newBuilder()
                .setPartialSuccess(ExportMetricsPartialSuccess.newBuilder()
                        .setRejectedDataPoints(Long.MAX_VALUE)
                        .setErrorMessage("no room")
                        .setUnknownFields(unknown))
                .build()
                .toByteArray();
        byte[] behindUnknown =
                unknown.toByteString().concat(ByteString.copyFrom(partial)).toByteArray();

        assertThat(PartialSuccess.isResponse(new byte[] {0, 1}))
                .as("no field has the number 0")
                .isFalse();
        assertThat(PartialSuccess.isResponse(behindUnknown)).isTrue();
        assertThat(PartialSuccess.parse(behindUnknown)).isEqualTo(new PartialSuccess(Long.MAX_VALUE, "no room"));
        for (int length = 1; length < unknown.getSerializedSize(); length++) {
            byte[] cut = Arrays.copyOf(behindUnknown, length);
            boolean sound;
            try {
                ExportMetricsServiceResponse.parseFrom(cut);
                sound = true;
            } catch (InvalidProtocolBufferException e) {
                sound = false;
            }
            assertThat(PartialSuccess.isResponse(cut)).as("cut after " + length).isEqualTo(sound);
        }
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
