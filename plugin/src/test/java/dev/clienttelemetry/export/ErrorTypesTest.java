/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLHandshakeException;
import okhttp3.internal.http2.ErrorCode;
import okhttp3.internal.http2.StreamResetException;
import org.junit.jupiter.api.Test;

class ErrorTypesTest {
    @Test
    void theJdksNamesAreKept() {
        assertThat(ErrorTypes.of(new ConnectException())).isEqualTo("java.net.ConnectException");
        assertThat(ErrorTypes.of(new SSLHandshakeException(""))).isEqualTo("javax.net.ssl.SSLHandshakeException");
        assertThat(ErrorTypes.of(new OutOfMemoryError())).isEqualTo("java.lang.OutOfMemoryError");
    }

    @Test
    void aLibrarysOwnFailureIsWhatTheJdkCallsIt() {
        StreamResetException reset = new StreamResetException(ErrorCode.CANCEL);

        assertThat(ErrorTypes.of(reset)).isEqualTo("java.io.IOException");
        assertThat(ErrorTypes.of(new IOException() {})).isEqualTo("java.io.IOException");
        assertThat(new CallTrace(new AtomicReference<>())
                        .failed(reset, OtlpProtocol.GRPC, 1)
                        .errorType())
                .isEqualTo("java.io.IOException");
    }
}
