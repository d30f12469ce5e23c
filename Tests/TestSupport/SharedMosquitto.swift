package import Testing

/// One broker for all tests of a suite; each test takes topics of its own.
package struct SharedMosquitto: SuiteTrait, TestScoping {
    private let makeOptions: @Sendable (TemporaryFolder) async throws -> MosquittoOptions

    // Set around the suite that carries the trait.
    @TaskLocal private static var shared: Mosquitto?

    package struct Missing: Error {}

    /// The broker of the suite.
    package static var broker: Mosquitto {
        get throws {
            guard let shared else { throw Missing() }
            return shared
        }
    }

    @concurrent
    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard Mosquitto.isExpected else { return try await body() }
        try await withTemporaryFolder { folder in
            try await withMosquitto(try await makeOptions(folder)) { broker in
                try await Self.$shared.withValue(broker) { try await body() }
            }
        }
    }

    package init(_ makeOptions: @escaping @Sendable (TemporaryFolder) async throws -> MosquittoOptions) {
        self.makeOptions = makeOptions
    }
}

extension Trait where Self == SharedMosquitto {
    /// A broker where everybody may do everything.
    package static var mosquitto: SharedMosquitto { SharedMosquitto { _ in MosquittoOptions() } }
}
