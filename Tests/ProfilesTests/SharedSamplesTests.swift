import Foundation
import Profiles
import Testing

/// The samples of the contract, where they are at hand.
@Suite(.enabled(if: SharedSamples.folder != nil))
struct SharedSamplesTests {
    @Test func `each sample has the expected problems`() throws {
        let expected = try String(decoding: SharedSamples.bytes("expected.txt"), as: UTF8.self)
        var found: [String] = []
        for name in try SharedSamples.names() {
            for problem in try ProfileReading(of: [SharedSamples.source(name)]).problems {
                found.append(
                    "\(name) \(problem.position.line) \(problem.severity.rawValue) \(problem.code.rawValue)"
                )
            }
        }
        #expect(found == expected.split(separator: "\n").map(String.init))
    }

    @Test func `the printed thermostat is usable`() throws {
        let reading = try ProfileReading(of: [SharedSamples.source("thermostat.json")])
        let summary = try #require(reading.files.first)
        #expect((summary.types, summary.properties) == (1, 3))
        #expect((summary.errors, summary.warnings) == (0, 2))
        let valve = try #require(reading.library.profiles.last)
        #expect(valve.name == "valve-1")
        #expect(valve.properties.map(\.name) == ["target_temp", "room_temp", "heating"])
    }
}

private enum SharedSamples {
    /// The folder that `TRILATERAL_PROFILE_SAMPLES` names, else the one beside the repository.
    static let folder: URL? = {
        let named = ProcessInfo.processInfo.environment["TRILATERAL_PROFILE_SAMPLES"]
        if let named { return URL(filePath: named) }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let beside = root.deletingLastPathComponent().appending(path: "shared/amap")
        return FileManager.default.fileExists(atPath: beside.path) ? beside : nil
    }()

    static func names() throws -> [String] {
        guard let folder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.sorted()
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        guard let folder else { return [] }
        return [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    static func source(_ name: String) throws -> ProfileSource {
        ProfileSource(file: name, json: try bytes(name))
    }
}
