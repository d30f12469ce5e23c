import ArgumentParser
import Daemon
import Directory
import Foundation
import Resolution
import Settings
import Text

/// Where the stations are kept, and whom to ask.
struct StationOptions: ParsableArguments {
    @OptionGroup var state: StateOption

    @Option(
        help: ArgumentHelp("The resolver; without it localhost:8128.", valueName: "host:port"),
        transform: HostAndPort.argument
    )
    var resolver = TrilateralConfiguration().flare.remote.resolver

    func ask(_ serial: StationSerial) async -> ResolverQuery.Result {
        await DirectoryClient(host: resolver.host, port: resolver.port).ask(serial)
    }
}

extension VerbError {
    /// Why a resolver has given no address; `nil` if it has.
    init?(_ result: ResolverQuery.Result, of serial: String, at resolver: HostAndPort) {
        switch result {
        case .found: return nil
        case .noAnswer:
            self.init(
                "\(resolver) did not answer within 3 s: check your connection, or try again later",
                .temporary
            )
        case .unreachable(let reason):
            self.init(
                "\(resolver) cannot be reached: \(reason); check the address, and that the resolver is on",
                .temporary
            )
        case .unknown:
            self.init("\(serial) is not known: check the serial, and that the station is set up", .noInput)
        case .badAnswer:
            self.init(
                "\(resolver) gave an answer that cannot be read: it may be no resolver",
                .dataError
            )
        }
    }
}

extension StateOption {
    /// Opens the stations, and closes them after the work; folder and database are made if they are missing.
    func withStations<Result>(_ body: (StateStore) async throws -> Result) async throws -> Result {
        try await Self.withStations(location(), isWriting: true, body)
    }

    /// Opens the stations that there are, and closes them after the work; nothing is made.
    ///
    /// - Parameters:
    ///   - isWriting: Whether it changes something.
    ///   - body: Gets `nil` if the state folder has no database yet.
    /// - Throws: ``VerbError`` if there is no such folder.
    func withKnownStations(
        isWriting: Bool = false,
        _ body: (StateStore?) async throws -> Void
    ) async throws {
        let location = try location()
        let path = location.path
        // Only a folder has this name in it.
        guard !Self.isMissing(path + "/.") else {
            throw VerbError(
                "there is no state folder \(path): --state names another one, and station add makes it",
                .noInput
            )
        }
        let file = URL(filePath: path).appending(path: "trilateral.db").path(percentEncoded: false)
        if Self.isMissing(file) {
            _ = try location.open()
            return try await body(nil)
        }
        try await Self.withStations(location, isWriting: isWriting, body)
    }

    /// As ``withKnownStations(isWriting:_:)``, for one station.
    ///
    /// - Throws: ``VerbError`` if it is not known.
    func withStation(
        _ word: String,
        isWriting: Bool = false,
        _ body: (StateStore, RegisteredStation) async throws -> Void
    ) async throws {
        try await withKnownStations(isWriting: isWriting) { store in
            guard let store, let station = try store.station(word) else {
                throw VerbError("no station is called \(QuotedValue.of(word))", .noInput)
            }
            try await body(store, station)
        }
    }

    private static func withStations<Result>(
        _ location: StateLocation,
        isWriting: Bool,
        _ body: (StateStore) async throws -> Result
    ) async throws -> Result {
        let folder = try location.open()
        let store = try folder.opening { try StateStore(folder: folder.url) }
        defer { store.close() }
        let result = try await body(store)
        if isWriting { await location.noteStored() }
        return result
    }

    /// Whether there is certainly nothing: what must not be looked at is no such case.
    private static func isMissing(_ path: String) -> Bool {
        access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }
}
