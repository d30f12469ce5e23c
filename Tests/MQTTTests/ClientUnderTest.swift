import Logging
import MQTT
import TestSupport

/// A configuration for a broker on the loopback, with short pauses.
func configuration(port: Int, _ change: (inout MQTTConfiguration) -> Void = { _ in }) -> MQTTConfiguration {
    var configuration = MQTTConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = port
    configuration.reconnectMinimumSeconds = 0.02
    configuration.reconnectMaximumSeconds = 0.1
    change(&configuration)
    return configuration
}

/// Runs the body while the client runs; afterwards the client is cancelled.
func withClient<Result: Sendable>(
    _ configuration: MQTTConfiguration,
    logger: Logger = LogRecorder().logger,
    _ body: (MQTTClient) async throws -> Result
) async throws -> Result {
    let client = MQTTClient(configuration, logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        return try await body(client)
    }
}

/// Runs the body while the client is connected.
func withConnectedClient<Result: Sendable>(
    _ configuration: MQTTConfiguration,
    logger: Logger = LogRecorder().logger,
    _ body: (MQTTClient, MQTTSession) async throws -> Result
) async throws -> Result {
    try await withClient(configuration, logger: logger) { client in
        guard let session = await client.nextSession() else { throw NoLink() }
        return try await body(client, session)
    }
}

struct NoLink: Error {}

extension MQTTClient {
    /// Waits for the next connect.
    func nextSession() async -> MQTTSession? {
        for await event in links {
            if case .connected(let session) = event { return session }
        }
        return nil
    }

    /// Waits for the next disconnect.
    func nextFailure() async -> MQTTError? {
        for await event in links {
            if case .disconnected(let error) = event { return error }
        }
        return nil
    }
}

extension AsyncStream<MQTTMessage> {
    /// The first messages, in order.
    func first(_ count: Int) async -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        for await message in self {
            messages.append(message)
            if messages.count == count { break }
        }
        return messages
    }
}

/// A topic that no other test uses.
func topic(_ name: String = "t") -> String { "test/\(UInt64.random(in: 0 ... .max))/\(name)" }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
