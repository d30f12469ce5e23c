import Foundation
import TestSupport
import Testing

/// The kiosk page with the screens, the menu and the colours of a configuration, in a real browser.
@Suite(
    .enabled(if: Mosquitto.isExpected && Browser.isExpected),
    .mosquitto,
    .serialized,
    .timeLimit(.minutes(3))
)
struct ExperiencePageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let sample = root.appending(path: "Tests/Interop/experience")

    @Test(arguments: ["en", "de"], ["light", "dark"])
    func `every screen is whole in three sizes, in both languages, light and dark`(
        language: String,
        theme: String
    ) async throws {
        // The colours of the configuration are those of both themes; without them the page has its own.
        try await check("looks", hasColours: language == "en" && theme == "light", [language, theme])
    }

    @Test func `touch and keyboard lead from screen to screen`() async throws {
        try await check("ways")
    }

    @Test func `controls drive their properties, and show what others set`() async throws {
        try await check("controls")
    }

    @Test func `own screens and controls are peers of the built-in ones, which stand in for those that fail`()
        async throws
    {
        try await check("modules")
    }

    @Test func `calls on the broker move the page, and a page that is loaded again keeps its place`()
        async throws
    {
        try await check("calls")
    }

    @Test func `without screens, things with a profile have its controls in the view of a thing`()
        async throws
    {
        try await check("plain", configuration: "profiles: {language: en}\n")
    }

    @Test func `what may not be driven is not offered, and what may be driven from now on is`() async throws {
        try await check("rights", more: "control: {read_only: [blind]}\n")
    }

    @Test func `a changed configuration, and a changed module, come to a page that is open`() async throws {
        try await check("reload")
    }

    @Test func `a page that gets no answer about its screens shows the place meanwhile`() async throws {
        try await check("patience")
    }

    /// Runs a part of Tests/Interop/experience.py beside a daemon of its own.
    ///
    /// - Parameters:
    ///   - hasColours: Whether the configuration has colours for all screens.
    ///   - configuration: In the place of the sample.
    ///   - more: Further lines of the configuration.
    private func check(
        _ part: String,
        hasColours: Bool = true,
        configuration: String? = nil,
        more: String = "",
        _ options: [String] = []
    ) async throws {
        try await withEmptyHome { home, visitor in
            let folder = home.folder
            var application = try String(
                contentsOf: Self.sample.appending(path: "application.json"),
                encoding: .utf8
            )
            if !hasColours {
                application = application.replacing(
                    #""windowBackgroundColor": "paper", "fontColor": "night", "#,
                    with: ""
                )
            }
            try folder.write(application, to: "application.json")
            try FileManager.default.copyItem(
                atPath: Self.sample.appending(path: "modules").path,
                toPath: folder.path("modules")
            )
            try await home.take(
                String(contentsOf: Self.sample.appending(path: "place.json"), encoding: .utf8)
            )
            let port = try LoopbackSocket.freePort()
            let address = "http://127.0.0.1:\(port)"
            try await visitor.whileStarting {
                let sample = "profiles: {files: [application.json], modules: \(folder.path("modules"))}\n"
                try await home.start(
                    ["web.listen": "127.0.0.1:\(port)"],
                    file: (configuration ?? sample) + more
                )
            }
            try #require(await home.logs("web: \(address)"))
            // Debian's Python, which has Debian's selenium.
            let script = try ChildProcess(
                "/usr/bin/python3",
                [
                    "-B", Self.root.appending(path: "Tests/Interop/experience.py").path, part,
                    address, "\(SharedMosquitto.broker.port)", home.root,
                ] + (options.isEmpty ? [folder.path("application.json")] : options),
                output: folder.path("experience")
            )
            let status = await script.end(within: .seconds(150))
            await script.destroy()
            #expect(status == 0, "\(folder.read("experience"))")
        }
    }
}
