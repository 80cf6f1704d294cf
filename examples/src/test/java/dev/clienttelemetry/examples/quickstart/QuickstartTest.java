/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class QuickstartTest {

    @ParameterizedTest
    @CsvSource({
        "--kafka-version=3.6.2, 3.7.0 is the first",
        "--kafka-version=latest, 4.4.0",
        "--protocol=http/json, http/protobuf",
        "--endpoint=collector:4317, http://localhost:4317",
        "--duration=20, 20s",
        "--duraton=20s, --duration"
    })
    void saysWhatIsRightInsteadOfAWrongOption(String wrong, String right) {
        StringWriter error = new StringWriter();
        CommandLine command = new CommandLine(new Quickstart()).setErr(new PrintWriter(error));

        int exitCode = command.execute(wrong);

        assertThat(exitCode).isEqualTo(2);
        assertThat(error.toString()).contains(right);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://us3r:s3cretpw@ho st",
                "http://us3r:s3cretpw@host:port",
                "ftp://us3r:s3cretpw@host",
                "us3r:s3cretpw@host:4317",
                "http://us3r:s3cretpw@host:99999",
                "http://host:4317/?token=s3cretpw"
            })
    void aWrongEndpointIsNotShownAgain(String wrong) {
        for (Object quickstart : List.of(new Quickstart(), new GatewayQuickstart())) {
            StringWriter error = new StringWriter();
            CommandLine command = new CommandLine(quickstart).setErr(new PrintWriter(error));

            assertThat(command.execute("--endpoint", wrong)).isEqualTo(2);
            assertThat(error.toString())
                    .contains("--endpoint", "one looks like http://localhost:4317")
                    .doesNotContain("s3cretpw");
        }
    }

    @Test
    void aPathInTheEndpointIsForHttp() {
        for (Object quickstart : List.of(new Quickstart(), new GatewayQuickstart())) {
            StringWriter error = new StringWriter();
            CommandLine command = new CommandLine(quickstart).setErr(new PrintWriter(error));

            assertThat(command.execute("--endpoint", "http://localhost:4318/otlp"))
                    .isEqualTo(2);
            assertThat(error.toString()).contains("--endpoint has a path");
        }
    }

    @Test
    void aVersionThatIsNoneIsAWrongOption() {
        for (Object quickstart : List.of(new Quickstart(), new GatewayQuickstart())) {
            StringWriter error = new StringWriter();
            CommandLine command = new CommandLine(quickstart).setErr(new PrintWriter(error));

            assertThat(command.execute("--kafka-version", "3.7.x")).isEqualTo(2);
            assertThat(error.toString()).contains("--kafka-version: ");
        }
    }

    @Test
    void helpsWithTheTextThatTheScriptsShow() {
        Map.of("src/quickstart-help.txt", new Quickstart(), "src/gateway-help.txt", new GatewayQuickstart())
                .forEach((file, command) -> {
                    String usage = new CommandLine(command).getUsageMessage(CommandLine.Help.Ansi.OFF);

                    assertThat(Path.of(file)).hasContent(usage.stripTrailing() + "\n");
                });
    }
}
