import Foundation
import TestSupport
import Testing

/// Schemathesis, which contrib/setup installs: it makes requests of a description, legal ones and others.
private enum Schemathesis {
    static let program = Interop.python("api").replacing("bin/python", with: "bin/schemathesis")

    /// True if there is one: also in CI when it is missing, so that the test fails there.
    static var isExpected: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true" || access(program, X_OK) == 0
    }
}

/// `/api/openapi.json`, taken at its word.
@Suite(.enabled(if: Schemathesis.isExpected && Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(10)))
struct DescriptionTests {
    /// What is excluded: a stream has no end, a point and what is heard take their seconds, and without its token
    /// the run would see refusals only.
    private static let excluded = [
        "readEvents", "removeToken", "setOwnPassword", "takeSurveyPoint", "readHeard",
    ]

    /// Real values of the parameters, and the same requests in each run.
    ///
    /// Owners, things and zones of a body have legal names, but may not be there, so that a group that is there may answer that a member is not; and not every object is a rule.
    private static func settings(_ node: String) -> String {
        """
        [parameters]
        "path.device" = "\(node)"
        "path.thing" = "table-lamp"
        "path.zone" = "kitchen"

        [[operations]]
        include-operation-id = ["onboardBinding", "addBindingOwner", "addRule", "changeRule", "runRule", "importSurvey", "addDevice", "editDevice"]
        [operations.checks]
        positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "409", "429", "5xx"]

        [[operations]]
        include-operation-id = ["joinGroup"]
        [operations.checks]
        ensure_resource_availability.enabled = false

        """
    }

    private func schemathesis(_ home: Home, _ port: Int, _ token: String, _ words: [String]) async throws
        -> (status: Int32?, text: String)
    {
        let folder = home.folder
        try folder.write(Self.settings(home.node), to: "schemathesis.toml")
        let address = "http://127.0.0.1:\(port)"
        let child = try ChildProcess(
            Schemathesis.program,
            [
                "--config-file", folder.path("schemathesis.toml"), "run", "\(address)/api/openapi.json",
                "--url",
                address, "--header", "Authorization: Bearer \(token)", "--request-timeout", "20", "--seed",
                "1",
                "--generation-database", "none", "--suppress-health-check", "all",
            ] + words,
            output: folder.path("schemathesis")
        )
        let status = await child.end(within: .seconds(560))
        await child.destroy()
        return (status, folder.read("schemathesis"))
    }

    @Test func `what the description allows is done, and all else is refused as it says`() async throws {
        try await withHome(["web.listen": "127.0.0.1:0", "device.allow_set": "true"]) { home, _ in
            for words in [
                ["user", "add", "bob"], ["group", "add", "staff"], ["group", "join", "staff", "bob"],
                ["grant", "add", "bob", "all", "write"],
            ] {
                let end = try await Program.run(words + ["--state", home.state], in: home.folder)
                try #require(end.status == 0, "\(words): \(end.output)")
            }
            let made = try await Program.run(
                ["token", "add", "owner", "test", "--state", home.state],
                in: home.folder
            )
            let token = made.output.trimmingCharacters(in: .newlines)
            let sign = "web: http://127.0.0.1:"
            try #require(await home.logs(sign))
            let rest = await home.log.components(separatedBy: sign).last
            let port = try #require(rest.flatMap { Int($0.prefix { $0.isNumber }) })
            // Without the app's key the routes for programs for Thing-IF are not there.
            let found = try await schemathesis(
                home,
                port,
                token,
                ["-n", "5", "--exclude-tag", "Thing-IF"]
                    + Self.excluded.flatMap { ["--exclude-operation-id", $0] }
            )
            #expect(found.status == 0, "\(found.text)")
        }
    }
}
