import Bindings
import Daemon
import Settings
import TestSupport
import Testing
import Text

/// The keys of `bindings`.
struct BindingsConfigurationTests {
    private func load(_ yaml: String) throws -> Result<LoadedConfiguration, ConfigurationErrors> {
        let folder = try ScratchFolder()
        let file = try folder.write("c.yaml", yaml)
        return Result { () throws(ConfigurationErrors) in
            try ConfigurationLoader.load(file: file, environment: [:], schema: .program)
        }
    }

    private func errors(_ yaml: String) throws -> [String] {
        guard case .failure(let error) = try load(yaml) else { return [] }
        return error.problems.map { "\($0.path): \($0.message)" }
    }

    @Test func `an app needs its key, and a key its app`() throws {
        #expect(
            try errors("bindings: {app_id: a}") == ["bindings.app_id: needs bindings.app_key_file as well"]
        )
        #expect(
            try errors("bindings: {app_key_file: /k}")
                == ["bindings.app_key_file: needs bindings.app_id as well"]
        )
        #expect(try errors("bindings: {app_id: a, app_key_file: /k, site: JP}") == [])
    }

    @Test func `sums are kept as long as samples at least`() throws {
        #expect(
            try errors("history: {raw_days: 30, group_days: 29}")
                == ["history.group_days: must be at least history.raw_days (is 29, and that is 30)"]
        )
        #expect(try errors("history: {raw_days: 30, group_days: 30, max_megabytes: 16}") == [])
        #expect(try errors("history: {max_megabytes: 15}").count == 1)
        #expect(try errors("bindings: {edge: true, command_seconds: 0.5}").count == 1)
    }

    @Test func `an unknown site and an illegal identifier are refused`() throws {
        #expect(try errors("bindings: {site: XX}").first?.contains("US, JP, CN3, SG or EU") == true)
        #expect(try errors("bindings: {app_id: \"a/b\", app_key_file: /k}").count == 1)
    }

    @Test(
        arguments: [
            ("0123456789", 0o600, nil, false), ("0123456789\n", 0o644, nil, true),
            ("012345678", 0o600, "must hold a key of 10 to 1024 bytes", false),
            ("0123456789\n0123456789", 0o600, "holds more than one line; only the key belongs there", false),
        ] as [(String, Int, String?, Bool)]
    )
    func `the key file holds one line, and one that others can read is a warning`(
        text: String,
        mode: Int,
        problem: String?,
        isOpen: Bool
    ) throws {
        let folder = try ScratchFolder()
        let key = try folder.write("key", text, mode: mode)
        let loaded = try load("bindings: {app_id: a, app_key_file: \(key)}").get()
        let files = ReferencedFiles(loaded, schema: .program)
        #expect(files.problems.map(\.message) == (problem.map { [$0] } ?? []))
        #expect(files.warnings.isEmpty != isOpen)
    }
    @Test func `the log hides the key of the app`() throws {
        let folder = try ScratchFolder()
        let key = try folder.write("key", "correct horse 9")
        let secrets = KnownSecrets()
        secrets.use(try load("bindings: {app_id: a, app_key_file: \(key)}").get().values)
        #expect(!secrets.mask.masked("the key is correct horse 9").contains("correct horse 9"))
    }
}
