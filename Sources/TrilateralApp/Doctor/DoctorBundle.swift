import Foundation
import JSON
import OperatingSystem
import Settings
import Threading

/// What to attach to a report: one text, without secrets.
package struct DoctorBundle: Sendable {
    /// A part with a title.
    package struct Section: Sendable {
        package var title: String
        package var text: String

        package init(_ title: String, _ text: String) { (self.title, self.text) = (title, text) }
    }

    package var sections: [Section]

    package init(_ sections: [Section]) { self.sections = sections }

    /// Bytes of the log that are attached.
    private static let longestLog = 65_536

    init(_ report: DoctorReport, _ context: DoctorContext) {
        sections = [
            Section("verdicts", report.lines.joined(separator: "\n")),
            Section("configuration", ConfigurationPrinter.text(context.loaded, schema: .commandLine)),
            Section("environment", Self.names(of: context.environment)),
            Section("daemons", Self.daemons(context)),
        ]
        for (title, text) in context.attachments.withLock(\.self).sorted(by: { $0.key < $1.key }) {
            sections.append(Section(title, text))
        }
        if let file = context.values.log.file, let end = Self.end(of: file) {
            sections.append(Section("log", end))
        }
    }

    /// The names of variables that the program reads: their values can be secrets.
    private static func names(of environment: [String: String]) -> String {
        let read = ["HOME", "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "CREDENTIALS_DIRECTORY", "TZ", "TZDIR"]
        let names = environment.keys.filter { name in
            read.contains(name) || ["TRILATERAL_", "XDG_", "LC_", "LANG"].contains { name.hasPrefix($0) }
        }
        return names.isEmpty ? "none" : names.sorted().joined(separator: "\n")
    }

    private static func daemons(_ context: DoctorContext) -> String {
        let running = context.runningDaemons.map { $0.json.text }
        return running.isEmpty ? "none" : running.joined(separator: "\n")
    }

    /// The last lines of a log; `nil` if it cannot be read.
    private static func end(of file: String) -> String? {
        guard FileStatus(path: file)?.kind == .file, let handle = FileHandle(forReadingAtPath: file) else {
            return nil
        }
        defer { try? handle.close() }
        guard let size = try? handle.seekToEnd() else { return nil }
        let length = UInt64(longestLog)
        guard (try? handle.seek(toOffset: size > length ? size - length : 0)) != nil,
            let data = try? handle.read(upToCount: longestLog)
        else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        // The first line may have lost its beginning.
        return size > length ? String(text.drop { !$0.isNewline }.dropFirst()) : text
    }

    /// The whole text, in which secrets are `***`.
    package func text(_ secrets: DoctorSecrets) -> String {
        let introduction = """
            What trilateral doctor found. Passwords, tokens and keys are left out; names of things and users, topics and
            addresses are not: read it before you give it away.
            """
        let parts = sections.map { "== \($0.title)\n\n\($0.text)" }
        return secrets.masked(([introduction] + parts).joined(separator: "\n\n")) + "\n"
    }
}
