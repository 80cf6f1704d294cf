/*
 * Copyright Kafka Client Telemetry authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.clienttelemetry.gateway.protocol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AddRaftVoterResponseData;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData;
import org.apache.kafka.common.message.AlterUserScramCredentialsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.AssignReplicasToDirsResponseData;
import org.apache.kafka.common.message.BeginQuorumEpochResponseData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ControllerRegistrationResponseData;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.CreateDelegationTokenResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteAclsRequestData;
import org.apache.kafka.common.message.DeleteAclsResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteShareGroupStateRequestData;
import org.apache.kafka.common.message.DeleteShareGroupStateResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeDelegationTokenResponseData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.DescribeUserScramCredentialsResponseData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.EndQuorumEpochResponseData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.EnvelopeResponseData;
import org.apache.kafka.common.message.ExpireDelegationTokenResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchSnapshotResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.InitializeShareGroupStateResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListClientMetricsResourcesResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.PushTelemetryResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryResponseData;
import org.apache.kafka.common.message.RemoveRaftVoterResponseData;
import org.apache.kafka.common.message.RenewDelegationTokenResponseData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareGroupDescribeRequestData;
import org.apache.kafka.common.message.ShareGroupDescribeResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.message.UpdateFeaturesResponseData;
import org.apache.kafka.common.message.UpdateRaftVoterResponseData;
import org.apache.kafka.common.message.VoteResponseData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * The answer to a request that breaks KIP-1313's rule: the request's own response, carrying INVALID_REQUEST where its
 * version has room for an error.
 *
 * <p>Kafka's generic error responses cannot be used: several of them throw for requests that a client is free to send,
 * such as an OffsetFetch without groups. So this is a table of our own, over Kafka's response data classes. A response
 * with a top-level error code carries it there; one without carries it in an entry for each entry of the request.
 *
 * <p>The classes are those of the kafka-clients that this module is compiled against. A request of an API that only a
 * newer runtime knows has no answer here, nor one of a newer version whose response must name the request's entries:
 * they are treated as a response without room for an error.
 */
public final class InvalidRequestAnswers {
    private static final short INVALID_REQUEST = Errors.INVALID_REQUEST.code();
    private static final long NO_OFFSET = -1;

    private InvalidRequestAnswers() {}

    /**
     * Builds the answer.
     *
     * @param api the request's API
     * @param version the request's version, one that uses request header v2 or later
     * @param request the request's body
     * @return the response's body, or empty where the protocol cannot carry the error: the connection has to be closed
     */
    public static Optional<ApiMessage> to(ApiKeys api, short version, ApiMessage request) {
        if (version > newestKnown(api)) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(answer(api, version, request));
        } catch (LinkageError absentInThisKafka) {
            // A newer kafka-clients than the one compiled against may have renamed a message.
            return Optional.empty();
        }
    }

    /**
     * The newest version whose entries the table knows how to name, for responses without a top-level error code: a
     * later version may name them otherwise, as Produce v13 does with topic ids. The constants are compiled in, so this
     * does not grow with the runtime's kafka-clients.
     */
    private static short newestKnown(ApiKeys api) {
        return switch (api) {
            case PRODUCE -> ProduceResponseData.HIGHEST_SUPPORTED_VERSION;
            case LIST_OFFSETS -> ListOffsetsResponseData.HIGHEST_SUPPORTED_VERSION;
            case METADATA -> MetadataResponseData.HIGHEST_SUPPORTED_VERSION;
            case OFFSET_COMMIT -> OffsetCommitResponseData.HIGHEST_SUPPORTED_VERSION;
            case OFFSET_FETCH -> OffsetFetchResponseData.HIGHEST_SUPPORTED_VERSION;
            case FIND_COORDINATOR -> FindCoordinatorResponseData.HIGHEST_SUPPORTED_VERSION;
            case DESCRIBE_GROUPS -> DescribeGroupsResponseData.HIGHEST_SUPPORTED_VERSION;
            case CREATE_TOPICS -> CreateTopicsResponseData.HIGHEST_SUPPORTED_VERSION;
            case DELETE_TOPICS -> DeleteTopicsResponseData.HIGHEST_SUPPORTED_VERSION;
            case DELETE_RECORDS -> DeleteRecordsResponseData.HIGHEST_SUPPORTED_VERSION;
            case OFFSET_FOR_LEADER_EPOCH -> OffsetForLeaderEpochResponseData.HIGHEST_SUPPORTED_VERSION;
            case WRITE_TXN_MARKERS -> WriteTxnMarkersResponseData.HIGHEST_SUPPORTED_VERSION;
            case TXN_OFFSET_COMMIT -> TxnOffsetCommitResponseData.HIGHEST_SUPPORTED_VERSION;
            case CREATE_ACLS -> CreateAclsResponseData.HIGHEST_SUPPORTED_VERSION;
            case DELETE_ACLS -> DeleteAclsResponseData.HIGHEST_SUPPORTED_VERSION;
            case DESCRIBE_CONFIGS -> DescribeConfigsResponseData.HIGHEST_SUPPORTED_VERSION;
            case ALTER_CONFIGS -> AlterConfigsResponseData.HIGHEST_SUPPORTED_VERSION;
            case ALTER_REPLICA_LOG_DIRS -> AlterReplicaLogDirsResponseData.HIGHEST_SUPPORTED_VERSION;
            case CREATE_PARTITIONS -> CreatePartitionsResponseData.HIGHEST_SUPPORTED_VERSION;
            case DELETE_GROUPS -> DeleteGroupsResponseData.HIGHEST_SUPPORTED_VERSION;
            case INCREMENTAL_ALTER_CONFIGS -> IncrementalAlterConfigsResponseData.HIGHEST_SUPPORTED_VERSION;
            case ALTER_CLIENT_QUOTAS -> AlterClientQuotasResponseData.HIGHEST_SUPPORTED_VERSION;
            case ALTER_USER_SCRAM_CREDENTIALS -> AlterUserScramCredentialsResponseData.HIGHEST_SUPPORTED_VERSION;
            case DESCRIBE_PRODUCERS -> DescribeProducersResponseData.HIGHEST_SUPPORTED_VERSION;
            case DESCRIBE_TRANSACTIONS -> DescribeTransactionsResponseData.HIGHEST_SUPPORTED_VERSION;
            case CONSUMER_GROUP_DESCRIBE -> ConsumerGroupDescribeResponseData.HIGHEST_SUPPORTED_VERSION;
            case DESCRIBE_TOPIC_PARTITIONS -> DescribeTopicPartitionsResponseData.HIGHEST_SUPPORTED_VERSION;
            case SHARE_GROUP_DESCRIBE -> ShareGroupDescribeResponseData.HIGHEST_SUPPORTED_VERSION;
            case INITIALIZE_SHARE_GROUP_STATE -> InitializeShareGroupStateResponseData.HIGHEST_SUPPORTED_VERSION;
            case READ_SHARE_GROUP_STATE -> ReadShareGroupStateResponseData.HIGHEST_SUPPORTED_VERSION;
            case WRITE_SHARE_GROUP_STATE -> WriteShareGroupStateResponseData.HIGHEST_SUPPORTED_VERSION;
            case DELETE_SHARE_GROUP_STATE -> DeleteShareGroupStateResponseData.HIGHEST_SUPPORTED_VERSION;
            case READ_SHARE_GROUP_STATE_SUMMARY -> ReadShareGroupStateSummaryResponseData.HIGHEST_SUPPORTED_VERSION;
            default -> Short.MAX_VALUE;
        };
    }

    private static ApiMessage answer(ApiKeys api, short version, ApiMessage request) {
        return switch (api) {
            case PRODUCE -> produce((ProduceRequestData) request);
            case FETCH -> new FetchResponseData().setErrorCode(INVALID_REQUEST);
            case LIST_OFFSETS -> listOffsets((ListOffsetsRequestData) request);
            case METADATA -> metadata(version, (MetadataRequestData) request);
            case OFFSET_COMMIT -> offsetCommit((OffsetCommitRequestData) request);
            case OFFSET_FETCH -> offsetFetch(version, (OffsetFetchRequestData) request);
            case FIND_COORDINATOR -> findCoordinator(version, (FindCoordinatorRequestData) request);
            case JOIN_GROUP ->
                new JoinGroupResponseData()
                        .setErrorCode(INVALID_REQUEST)
                        // Not nullable before version 7.
                        .setProtocolName(version < 7 ? "" : null);
            case HEARTBEAT -> new HeartbeatResponseData().setErrorCode(INVALID_REQUEST);
            case LEAVE_GROUP -> new LeaveGroupResponseData().setErrorCode(INVALID_REQUEST);
            case SYNC_GROUP -> new SyncGroupResponseData().setErrorCode(INVALID_REQUEST);
            case DESCRIBE_GROUPS -> describeGroups((DescribeGroupsRequestData) request);
            case LIST_GROUPS -> new ListGroupsResponseData().setErrorCode(INVALID_REQUEST);
            case API_VERSIONS -> new ApiVersionsResponseData().setErrorCode(INVALID_REQUEST);
            case CREATE_TOPICS -> createTopics((CreateTopicsRequestData) request);
            case DELETE_TOPICS -> deleteTopics(version, (DeleteTopicsRequestData) request);
            case DELETE_RECORDS -> deleteRecords((DeleteRecordsRequestData) request);
            case INIT_PRODUCER_ID -> new InitProducerIdResponseData().setErrorCode(INVALID_REQUEST);
            case OFFSET_FOR_LEADER_EPOCH -> offsetForLeaderEpoch((OffsetForLeaderEpochRequestData) request);
            case ADD_PARTITIONS_TO_TXN -> addPartitionsToTxn(version, (AddPartitionsToTxnRequestData) request);
            case ADD_OFFSETS_TO_TXN -> new AddOffsetsToTxnResponseData().setErrorCode(INVALID_REQUEST);
            case END_TXN -> new EndTxnResponseData().setErrorCode(INVALID_REQUEST);
            case WRITE_TXN_MARKERS -> writeTxnMarkers((WriteTxnMarkersRequestData) request);
            case TXN_OFFSET_COMMIT -> txnOffsetCommit((TxnOffsetCommitRequestData) request);
            case DESCRIBE_ACLS -> new DescribeAclsResponseData().setErrorCode(INVALID_REQUEST);
            case CREATE_ACLS -> createAcls((CreateAclsRequestData) request);
            case DELETE_ACLS -> deleteAcls((DeleteAclsRequestData) request);
            case DESCRIBE_CONFIGS -> describeConfigs((DescribeConfigsRequestData) request);
            case ALTER_CONFIGS -> alterConfigs((AlterConfigsRequestData) request);
            case ALTER_REPLICA_LOG_DIRS -> alterReplicaLogDirs((AlterReplicaLogDirsRequestData) request);
            case DESCRIBE_LOG_DIRS -> describeLogDirs(version);
            case SASL_AUTHENTICATE ->
                new SaslAuthenticateResponseData()
                        .setErrorCode(INVALID_REQUEST)
                        .setErrorMessage(Errors.INVALID_REQUEST.message());
            case CREATE_PARTITIONS -> createPartitions((CreatePartitionsRequestData) request);
            case CREATE_DELEGATION_TOKEN -> new CreateDelegationTokenResponseData().setErrorCode(INVALID_REQUEST);
            case RENEW_DELEGATION_TOKEN -> new RenewDelegationTokenResponseData().setErrorCode(INVALID_REQUEST);
            case EXPIRE_DELEGATION_TOKEN -> new ExpireDelegationTokenResponseData().setErrorCode(INVALID_REQUEST);
            case DESCRIBE_DELEGATION_TOKEN -> new DescribeDelegationTokenResponseData().setErrorCode(INVALID_REQUEST);
            case DELETE_GROUPS -> deleteGroups((DeleteGroupsRequestData) request);
            case ELECT_LEADERS -> new ElectLeadersResponseData().setErrorCode(INVALID_REQUEST);
            case INCREMENTAL_ALTER_CONFIGS -> incrementalAlterConfigs((IncrementalAlterConfigsRequestData) request);
            case ALTER_PARTITION_REASSIGNMENTS ->
                new AlterPartitionReassignmentsResponseData().setErrorCode(INVALID_REQUEST);
            case LIST_PARTITION_REASSIGNMENTS ->
                new ListPartitionReassignmentsResponseData().setErrorCode(INVALID_REQUEST);
            case DESCRIBE_CLIENT_QUOTAS ->
                new DescribeClientQuotasResponseData()
                        .setErrorCode(INVALID_REQUEST)
                        .setEntries(null);
            case ALTER_CLIENT_QUOTAS -> alterClientQuotas((AlterClientQuotasRequestData) request);
            case DESCRIBE_USER_SCRAM_CREDENTIALS ->
                new DescribeUserScramCredentialsResponseData().setErrorCode(INVALID_REQUEST);
            case ALTER_USER_SCRAM_CREDENTIALS ->
                alterUserScramCredentials((AlterUserScramCredentialsRequestData) request);
            case VOTE -> new VoteResponseData().setErrorCode(INVALID_REQUEST);
            case BEGIN_QUORUM_EPOCH -> new BeginQuorumEpochResponseData().setErrorCode(INVALID_REQUEST);
            case END_QUORUM_EPOCH -> new EndQuorumEpochResponseData().setErrorCode(INVALID_REQUEST);
            case DESCRIBE_QUORUM -> new DescribeQuorumResponseData().setErrorCode(INVALID_REQUEST);
            case ALTER_PARTITION -> new AlterPartitionResponseData().setErrorCode(INVALID_REQUEST);
            case UPDATE_FEATURES -> new UpdateFeaturesResponseData().setErrorCode(INVALID_REQUEST);
            case ENVELOPE -> new EnvelopeResponseData().setErrorCode(INVALID_REQUEST);
            case FETCH_SNAPSHOT -> new FetchSnapshotResponseData().setErrorCode(INVALID_REQUEST);
            case DESCRIBE_CLUSTER -> new DescribeClusterResponseData().setErrorCode(INVALID_REQUEST);
            case DESCRIBE_PRODUCERS -> describeProducers((DescribeProducersRequestData) request);
            case BROKER_REGISTRATION -> new BrokerRegistrationResponseData().setErrorCode(INVALID_REQUEST);
            case BROKER_HEARTBEAT -> new BrokerHeartbeatResponseData().setErrorCode(INVALID_REQUEST);
            case UNREGISTER_BROKER -> new UnregisterBrokerResponseData().setErrorCode(INVALID_REQUEST);
            case DESCRIBE_TRANSACTIONS -> describeTransactions((DescribeTransactionsRequestData) request);
            case LIST_TRANSACTIONS -> new ListTransactionsResponseData().setErrorCode(INVALID_REQUEST);
            case ALLOCATE_PRODUCER_IDS -> new AllocateProducerIdsResponseData().setErrorCode(INVALID_REQUEST);
            case CONSUMER_GROUP_HEARTBEAT -> new ConsumerGroupHeartbeatResponseData().setErrorCode(INVALID_REQUEST);
            case CONSUMER_GROUP_DESCRIBE -> consumerGroupDescribe((ConsumerGroupDescribeRequestData) request);
            case CONTROLLER_REGISTRATION -> new ControllerRegistrationResponseData().setErrorCode(INVALID_REQUEST);
            case GET_TELEMETRY_SUBSCRIPTIONS ->
                new GetTelemetrySubscriptionsResponseData().setErrorCode(INVALID_REQUEST);
            case PUSH_TELEMETRY -> new PushTelemetryResponseData().setErrorCode(INVALID_REQUEST);
            case ASSIGN_REPLICAS_TO_DIRS -> new AssignReplicasToDirsResponseData().setErrorCode(INVALID_REQUEST);
            case LIST_CLIENT_METRICS_RESOURCES ->
                new ListClientMetricsResourcesResponseData().setErrorCode(INVALID_REQUEST);
            case DESCRIBE_TOPIC_PARTITIONS -> describeTopicPartitions((DescribeTopicPartitionsRequestData) request);
            case SHARE_GROUP_HEARTBEAT -> new ShareGroupHeartbeatResponseData().setErrorCode(INVALID_REQUEST);
            case SHARE_GROUP_DESCRIBE -> shareGroupDescribe((ShareGroupDescribeRequestData) request);
            case SHARE_FETCH -> new ShareFetchResponseData().setErrorCode(INVALID_REQUEST);
            case SHARE_ACKNOWLEDGE -> new ShareAcknowledgeResponseData().setErrorCode(INVALID_REQUEST);
            case ADD_RAFT_VOTER -> new AddRaftVoterResponseData().setErrorCode(INVALID_REQUEST);
            case REMOVE_RAFT_VOTER -> new RemoveRaftVoterResponseData().setErrorCode(INVALID_REQUEST);
            case UPDATE_RAFT_VOTER -> new UpdateRaftVoterResponseData().setErrorCode(INVALID_REQUEST);
            case INITIALIZE_SHARE_GROUP_STATE ->
                initializeShareGroupState((InitializeShareGroupStateRequestData) request);
            case READ_SHARE_GROUP_STATE -> readShareGroupState((ReadShareGroupStateRequestData) request);
            case WRITE_SHARE_GROUP_STATE -> writeShareGroupState((WriteShareGroupStateRequestData) request);
            case DELETE_SHARE_GROUP_STATE -> deleteShareGroupState((DeleteShareGroupStateRequestData) request);
            case READ_SHARE_GROUP_STATE_SUMMARY ->
                readShareGroupStateSummary((ReadShareGroupStateSummaryRequestData) request);
            default -> null;
        };
    }

    private static ApiMessage produce(ProduceRequestData request) {
        if (request.acks() == 0) {
            return null;
        }
        var responses = collect(
                new ProduceResponseData.TopicProduceResponseCollection(),
                request.topicData(),
                topic -> new ProduceResponseData.TopicProduceResponse()
                        .setName(topic.name())
                        .setPartitionResponses(entries(
                                topic.partitionData(), partition -> new ProduceResponseData.PartitionProduceResponse()
                                        .setIndex(partition.index())
                                        .setErrorCode(INVALID_REQUEST)
                                        .setBaseOffset(NO_OFFSET))));
        return anyEntry(responses, ProduceResponseData.TopicProduceResponse::partitionResponses)
                ? new ProduceResponseData().setResponses(responses)
                : null;
    }

    private static ApiMessage listOffsets(ListOffsetsRequestData request) {
        var topics = entries(request.topics(), topic -> new ListOffsetsResponseData.ListOffsetsTopicResponse()
                .setName(topic.name())
                .setPartitions(entries(
                        topic.partitions(), partition -> new ListOffsetsResponseData.ListOffsetsPartitionResponse()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(INVALID_REQUEST))));
        return anyEntry(topics, ListOffsetsResponseData.ListOffsetsTopicResponse::partitions)
                ? new ListOffsetsResponseData().setTopics(topics)
                : null;
    }

    private static ApiMessage metadata(short version, MetadataRequestData request) {
        if (version >= 13) {
            return new MetadataResponseData().setErrorCode(INVALID_REQUEST);
        }
        if (request.topics() == null || request.topics().isEmpty()) {
            return null;
        }
        var topics = collect(
                new MetadataResponseData.MetadataResponseTopicCollection(),
                request.topics(),
                topic -> new MetadataResponseData.MetadataResponseTopic()
                        // Not nullable in responses before version 12.
                        .setName(topic.name() == null && version < 12 ? "" : topic.name())
                        .setTopicId(topic.topicId())
                        .setErrorCode(INVALID_REQUEST));
        return new MetadataResponseData().setTopics(topics);
    }

    private static ApiMessage offsetCommit(OffsetCommitRequestData request) {
        var topics = entries(request.topics(), topic -> new OffsetCommitResponseData.OffsetCommitResponseTopic()
                .setName(topic.name())
                .setPartitions(entries(
                        topic.partitions(), partition -> new OffsetCommitResponseData.OffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(INVALID_REQUEST))));
        return anyEntry(topics, OffsetCommitResponseData.OffsetCommitResponseTopic::partitions)
                ? new OffsetCommitResponseData().setTopics(topics)
                : null;
    }

    private static ApiMessage offsetFetch(short version, OffsetFetchRequestData request) {
        if (version < 8) {
            return new OffsetFetchResponseData().setErrorCode(INVALID_REQUEST);
        }
        if (request.groups().isEmpty()) {
            return null;
        }
        return new OffsetFetchResponseData()
                .setGroups(entries(request.groups(), group -> new OffsetFetchResponseData.OffsetFetchResponseGroup()
                        .setGroupId(group.groupId())
                        .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage findCoordinator(short version, FindCoordinatorRequestData request) {
        if (version < 4) {
            return new FindCoordinatorResponseData()
                    .setErrorCode(INVALID_REQUEST)
                    .setNodeId(-1)
                    .setPort(-1);
        }
        if (request.coordinatorKeys().isEmpty()) {
            return null;
        }
        return new FindCoordinatorResponseData()
                .setCoordinators(entries(request.coordinatorKeys(), key -> new FindCoordinatorResponseData.Coordinator()
                        .setKey(key)
                        .setNodeId(-1)
                        .setPort(-1)
                        .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage describeGroups(DescribeGroupsRequestData request) {
        if (request.groups().isEmpty()) {
            return null;
        }
        return new DescribeGroupsResponseData()
                .setGroups(entries(request.groups(), group -> new DescribeGroupsResponseData.DescribedGroup()
                        .setGroupId(group)
                        .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage createTopics(CreateTopicsRequestData request) {
        if (request.topics().isEmpty()) {
            return null;
        }
        var topics = collect(
                new CreateTopicsResponseData.CreatableTopicResultCollection(),
                request.topics(),
                topic -> new CreateTopicsResponseData.CreatableTopicResult()
                        .setName(topic.name())
                        .setErrorCode(INVALID_REQUEST));
        return new CreateTopicsResponseData().setTopics(topics);
    }

    private static ApiMessage deleteTopics(short version, DeleteTopicsRequestData request) {
        var responses = new DeleteTopicsResponseData.DeletableTopicResultCollection();
        if (version < 6) {
            collect(responses, request.topicNames(), name -> new DeleteTopicsResponseData.DeletableTopicResult()
                    .setName(name)
                    .setErrorCode(INVALID_REQUEST));
        } else {
            collect(responses, request.topics(), topic -> new DeleteTopicsResponseData.DeletableTopicResult()
                    .setName(topic.name())
                    .setTopicId(topic.topicId())
                    .setErrorCode(INVALID_REQUEST));
        }
        return responses.isEmpty() ? null : new DeleteTopicsResponseData().setResponses(responses);
    }

    private static ApiMessage deleteRecords(DeleteRecordsRequestData request) {
        var topics = collect(
                new DeleteRecordsResponseData.DeleteRecordsTopicResultCollection(),
                request.topics(),
                topic -> new DeleteRecordsResponseData.DeleteRecordsTopicResult()
                        .setName(topic.name())
                        .setPartitions(collect(
                                new DeleteRecordsResponseData.DeleteRecordsPartitionResultCollection(),
                                topic.partitions(),
                                partition -> new DeleteRecordsResponseData.DeleteRecordsPartitionResult()
                                        .setPartitionIndex(partition.partitionIndex())
                                        .setLowWatermark(NO_OFFSET)
                                        .setErrorCode(INVALID_REQUEST))));
        return anyEntry(topics, DeleteRecordsResponseData.DeleteRecordsTopicResult::partitions)
                ? new DeleteRecordsResponseData().setTopics(topics)
                : null;
    }

    private static ApiMessage offsetForLeaderEpoch(OffsetForLeaderEpochRequestData request) {
        var topics = collect(
                new OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResultCollection(),
                request.topics(),
                topic -> new OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult()
                        .setTopic(topic.topic())
                        .setPartitions(entries(
                                topic.partitions(), partition -> new OffsetForLeaderEpochResponseData.EpochEndOffset()
                                        .setPartition(partition.partition())
                                        .setErrorCode(INVALID_REQUEST))));
        return anyEntry(topics, OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult::partitions)
                ? new OffsetForLeaderEpochResponseData().setTopics(topics)
                : null;
    }

    private static ApiMessage addPartitionsToTxn(short version, AddPartitionsToTxnRequestData request) {
        if (version >= 4) {
            return new AddPartitionsToTxnResponseData().setErrorCode(INVALID_REQUEST);
        }
        var topics = collect(
                new AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResultCollection(),
                request.v3AndBelowTopics(),
                topic -> new AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult()
                        .setName(topic.name())
                        .setResultsByPartition(collect(
                                new AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResultCollection(),
                                topic.partitions(),
                                partition -> new AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult()
                                        .setPartitionIndex(partition)
                                        .setPartitionErrorCode(INVALID_REQUEST))));
        return anyEntry(topics, AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult::resultsByPartition)
                ? new AddPartitionsToTxnResponseData().setResultsByTopicV3AndBelow(topics)
                : null;
    }

    private static ApiMessage writeTxnMarkers(WriteTxnMarkersRequestData request) {
        var markers = entries(request.markers(), marker -> new WriteTxnMarkersResponseData.WritableTxnMarkerResult()
                .setProducerId(marker.producerId())
                .setTopics(
                        entries(marker.topics(), topic -> new WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult()
                                .setName(topic.name())
                                .setPartitions(entries(
                                        topic.partitionIndexes(),
                                        partition -> new WriteTxnMarkersResponseData.WritableTxnMarkerPartitionResult()
                                                .setPartitionIndex(partition)
                                                .setErrorCode(INVALID_REQUEST))))));
        boolean anyPartition = markers.stream()
                .anyMatch(marker -> anyEntry(
                        marker.topics(), WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult::partitions));
        return anyPartition ? new WriteTxnMarkersResponseData().setMarkers(markers) : null;
    }

    private static ApiMessage txnOffsetCommit(TxnOffsetCommitRequestData request) {
        var topics = entries(request.topics(), topic -> new TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic()
                .setName(topic.name())
                .setPartitions(entries(
                        topic.partitions(),
                        partition -> new TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(INVALID_REQUEST))));
        return anyEntry(topics, TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic::partitions)
                ? new TxnOffsetCommitResponseData().setTopics(topics)
                : null;
    }

    private static ApiMessage createAcls(CreateAclsRequestData request) {
        if (request.creations().isEmpty()) {
            return null;
        }
        return new CreateAclsResponseData()
                .setResults(entries(request.creations(), creation -> new CreateAclsResponseData.AclCreationResult()
                        .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage deleteAcls(DeleteAclsRequestData request) {
        if (request.filters().isEmpty()) {
            return null;
        }
        return new DeleteAclsResponseData()
                .setFilterResults(
                        entries(request.filters(), filter -> new DeleteAclsResponseData.DeleteAclsFilterResult()
                                .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage describeConfigs(DescribeConfigsRequestData request) {
        if (request.resources().isEmpty()) {
            return null;
        }
        return new DescribeConfigsResponseData()
                .setResults(
                        entries(request.resources(), resource -> new DescribeConfigsResponseData.DescribeConfigsResult()
                                .setResourceType(resource.resourceType())
                                .setResourceName(resource.resourceName())
                                .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage alterConfigs(AlterConfigsRequestData request) {
        if (request.resources().isEmpty()) {
            return null;
        }
        return new AlterConfigsResponseData()
                .setResponses(entries(
                        request.resources(), resource -> new AlterConfigsResponseData.AlterConfigsResourceResponse()
                                .setResourceType(resource.resourceType())
                                .setResourceName(resource.resourceName())
                                .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage incrementalAlterConfigs(IncrementalAlterConfigsRequestData request) {
        if (request.resources().isEmpty()) {
            return null;
        }
        return new IncrementalAlterConfigsResponseData()
                .setResponses(entries(
                        request.resources(),
                        resource -> new IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse()
                                .setResourceType(resource.resourceType())
                                .setResourceName(resource.resourceName())
                                .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage alterReplicaLogDirs(AlterReplicaLogDirsRequestData request) {
        List<AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult> topics = new ArrayList<>();
        for (var directory : request.dirs()) {
            for (var topic : directory.topics()) {
                topics.add(new AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult()
                        .setTopicName(topic.name())
                        .setPartitions(entries(
                                topic.partitions(),
                                partition -> new AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult()
                                        .setPartitionIndex(partition)
                                        .setErrorCode(INVALID_REQUEST))));
            }
        }
        return anyEntry(topics, AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult::partitions)
                ? new AlterReplicaLogDirsResponseData().setResults(topics)
                : null;
    }

    private static ApiMessage describeLogDirs(short version) {
        if (version >= 3) {
            return new DescribeLogDirsResponseData().setErrorCode(INVALID_REQUEST);
        }
        // Entries are log directories of the broker, which the request does not name.
        return new DescribeLogDirsResponseData()
                .setResults(List.of(new DescribeLogDirsResponseData.DescribeLogDirsResult()
                        .setLogDir("")
                        .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage createPartitions(CreatePartitionsRequestData request) {
        if (request.topics().isEmpty()) {
            return null;
        }
        return new CreatePartitionsResponseData()
                .setResults(entries(
                        request.topics(), topic -> new CreatePartitionsResponseData.CreatePartitionsTopicResult()
                                .setName(topic.name())
                                .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage deleteGroups(DeleteGroupsRequestData request) {
        if (request.groupsNames().isEmpty()) {
            return null;
        }
        var results = collect(
                new DeleteGroupsResponseData.DeletableGroupResultCollection(),
                request.groupsNames(),
                group -> new DeleteGroupsResponseData.DeletableGroupResult()
                        .setGroupId(group)
                        .setErrorCode(INVALID_REQUEST));
        return new DeleteGroupsResponseData().setResults(results);
    }

    private static ApiMessage alterClientQuotas(AlterClientQuotasRequestData request) {
        if (request.entries().isEmpty()) {
            return null;
        }
        return new AlterClientQuotasResponseData()
                .setEntries(entries(request.entries(), entry -> new AlterClientQuotasResponseData.EntryData()
                        .setErrorCode(INVALID_REQUEST)
                        .setEntity(entries(entry.entity(), entity -> new AlterClientQuotasResponseData.EntityData()
                                .setEntityType(entity.entityType())
                                .setEntityName(entity.entityName())))));
    }

    private static ApiMessage alterUserScramCredentials(AlterUserScramCredentialsRequestData request) {
        Set<String> users = new LinkedHashSet<>();
        request.deletions().forEach(deletion -> users.add(deletion.name()));
        request.upsertions().forEach(upsertion -> users.add(upsertion.name()));
        if (users.isEmpty()) {
            return null;
        }
        return new AlterUserScramCredentialsResponseData()
                .setResults(entries(
                        users, user -> new AlterUserScramCredentialsResponseData.AlterUserScramCredentialsResult()
                                .setUser(user)
                                .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage describeProducers(DescribeProducersRequestData request) {
        var topics = entries(request.topics(), topic -> new DescribeProducersResponseData.TopicResponse()
                .setName(topic.name())
                .setPartitions(entries(
                        topic.partitionIndexes(), partition -> new DescribeProducersResponseData.PartitionResponse()
                                .setPartitionIndex(partition)
                                .setErrorCode(INVALID_REQUEST))));
        return anyEntry(topics, DescribeProducersResponseData.TopicResponse::partitions)
                ? new DescribeProducersResponseData().setTopics(topics)
                : null;
    }

    private static ApiMessage describeTransactions(DescribeTransactionsRequestData request) {
        if (request.transactionalIds().isEmpty()) {
            return null;
        }
        return new DescribeTransactionsResponseData()
                .setTransactionStates(entries(
                        request.transactionalIds(), id -> new DescribeTransactionsResponseData.TransactionState()
                                .setTransactionalId(id)
                                .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage consumerGroupDescribe(ConsumerGroupDescribeRequestData request) {
        if (request.groupIds().isEmpty()) {
            return null;
        }
        return new ConsumerGroupDescribeResponseData()
                .setGroups(entries(request.groupIds(), group -> new ConsumerGroupDescribeResponseData.DescribedGroup()
                        .setGroupId(group)
                        .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage describeTopicPartitions(DescribeTopicPartitionsRequestData request) {
        if (request.topics().isEmpty()) {
            return null;
        }
        var topics = collect(
                new DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopicCollection(),
                request.topics(),
                topic -> new DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic()
                        .setName(topic.name())
                        .setErrorCode(INVALID_REQUEST));
        return new DescribeTopicPartitionsResponseData().setTopics(topics);
    }

    private static ApiMessage shareGroupDescribe(ShareGroupDescribeRequestData request) {
        if (request.groupIds().isEmpty()) {
            return null;
        }
        return new ShareGroupDescribeResponseData()
                .setGroups(entries(request.groupIds(), group -> new ShareGroupDescribeResponseData.DescribedGroup()
                        .setGroupId(group)
                        .setErrorCode(INVALID_REQUEST)));
    }

    private static ApiMessage initializeShareGroupState(InitializeShareGroupStateRequestData request) {
        var results =
                entries(request.topics(), topic -> new InitializeShareGroupStateResponseData.InitializeStateResult()
                        .setTopicId(topic.topicId())
                        .setPartitions(entries(
                                topic.partitions(),
                                partition -> new InitializeShareGroupStateResponseData.PartitionResult()
                                        .setPartition(partition.partition())
                                        .setErrorCode(INVALID_REQUEST))));
        return anyEntry(results, InitializeShareGroupStateResponseData.InitializeStateResult::partitions)
                ? new InitializeShareGroupStateResponseData().setResults(results)
                : null;
    }

    private static ApiMessage readShareGroupState(ReadShareGroupStateRequestData request) {
        var results = entries(request.topics(), topic -> new ReadShareGroupStateResponseData.ReadStateResult()
                .setTopicId(topic.topicId())
                .setPartitions(
                        entries(topic.partitions(), partition -> new ReadShareGroupStateResponseData.PartitionResult()
                                .setPartition(partition.partition())
                                .setErrorCode(INVALID_REQUEST))));
        return anyEntry(results, ReadShareGroupStateResponseData.ReadStateResult::partitions)
                ? new ReadShareGroupStateResponseData().setResults(results)
                : null;
    }

    private static ApiMessage writeShareGroupState(WriteShareGroupStateRequestData request) {
        var results = entries(request.topics(), topic -> new WriteShareGroupStateResponseData.WriteStateResult()
                .setTopicId(topic.topicId())
                .setPartitions(
                        entries(topic.partitions(), partition -> new WriteShareGroupStateResponseData.PartitionResult()
                                .setPartition(partition.partition())
                                .setErrorCode(INVALID_REQUEST))));
        return anyEntry(results, WriteShareGroupStateResponseData.WriteStateResult::partitions)
                ? new WriteShareGroupStateResponseData().setResults(results)
                : null;
    }

    private static ApiMessage deleteShareGroupState(DeleteShareGroupStateRequestData request) {
        var results = entries(request.topics(), topic -> new DeleteShareGroupStateResponseData.DeleteStateResult()
                .setTopicId(topic.topicId())
                .setPartitions(
                        entries(topic.partitions(), partition -> new DeleteShareGroupStateResponseData.PartitionResult()
                                .setPartition(partition.partition())
                                .setErrorCode(INVALID_REQUEST))));
        return anyEntry(results, DeleteShareGroupStateResponseData.DeleteStateResult::partitions)
                ? new DeleteShareGroupStateResponseData().setResults(results)
                : null;
    }

    private static ApiMessage readShareGroupStateSummary(ReadShareGroupStateSummaryRequestData request) {
        var results =
                entries(request.topics(), topic -> new ReadShareGroupStateSummaryResponseData.ReadStateSummaryResult()
                        .setTopicId(topic.topicId())
                        .setPartitions(entries(
                                topic.partitions(),
                                partition -> new ReadShareGroupStateSummaryResponseData.PartitionResult()
                                        .setPartition(partition.partition())
                                        .setErrorCode(INVALID_REQUEST))));
        return anyEntry(results, ReadShareGroupStateSummaryResponseData.ReadStateSummaryResult::partitions)
                ? new ReadShareGroupStateSummaryResponseData().setResults(results)
                : null;
    }

    /** Adds through {@link Collection}: the message collections' own {@code add} has moved between Kafka's releases. */
    private static <T, R, C extends Collection<R>> C collect(C answers, Iterable<T> requested, Function<T, R> answer) {
        for (T entry : requested) {
            answers.add(answer.apply(entry));
        }
        return answers;
    }

    private static <T, R> List<R> entries(Iterable<T> requested, Function<T, R> answer) {
        return collect(new ArrayList<>(), requested, answer);
    }

    private static <T> boolean anyEntry(Iterable<T> groups, Function<T, ? extends Iterable<?>> entries) {
        for (T group : groups) {
            if (entries.apply(group).iterator().hasNext()) {
                return true;
            }
        }
        return false;
    }
}
