import OperatingSystem
package import Rules
import Text
import Things

/// The time zones that this machine knows: the files of the time zone database, and which one is the system's.
///
/// The program reads them itself: Foundation's zones come with data of their own, which no update of the machine
/// reaches.
/// - Source: tzset(3); RFC 9636 for the files.
package struct TimeZoneDatabase: Sendable {
    /// The folder with the files.
    package let folder: String
    /// The system's zone, as the variable TZ has it.
    private let variable: String?
    /// A file of the database: the zone of the machine.
    private let localTime: String
    /// A file with the name of that zone.
    private let zoneName: String

    /// What a name of a zone can be, for messages.
    package static let legalNames = "a name such as Europe/Berlin, or UTC"

    private static let longestName = 100

    /// - Parameters:
    ///   - environment: `TZDIR` is another folder with the files, `TZ` another zone of the system.
    ///   - localTime: The file with the machine's zone.
    ///   - zoneName: The file with its name, if there is no such file.
    package init(
        _ environment: [String: String],
        localTime: String = "/etc/localtime",
        zoneName: String = "/etc/timezone"
    ) {
        let other = environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
        folder = other ?? "/usr/share/zoneinfo"
        variable = environment["TZ"]
        (self.localTime, self.zoneName) = (localTime, zoneName)
    }

    /// The zone of a name such as `Europe/Berlin`; its rule is followed to the year ``ZoneTable/lastYear``.
    ///
    /// UTC needs no file. A name never leads out of the folder.
    package func zone(named name: String) throws(TimeZoneError) -> ZoneTable {
        guard Self.isLegal(name) else {
            throw TimeZoneError(.name, "a time zone must be \(Self.legalNames) (is \(QuotedValue.of(name)))")
        }
        if hasFile(name) { return try table("\(folder)/\(name)") }
        if name == "UTC" || name == "Etc/UTC" { return .utc }
        guard FileStatus(path: folder)?.kind == .folder else {
            throw TimeZoneError(
                .noDatabase,
                "the time zone \(QuotedValue.of(name)) needs the files in \(folder), which are not there; "
                    + "install the package tzdata, or use UTC"
            )
        }
        let hint = NearestName.hint(for: name, among: names())
        throw TimeZoneError(
            .name,
            "there is no time zone \(QuotedValue.of(name)) in \(folder)"
                + (hint.isEmpty ? "; it must be \(Self.legalNames)" : hint)
        )
    }

    /// The zone of the system: that of `TZ`, else that of the machine, else UTC.
    package func systemZone() throws(TimeZoneError) -> ZoneTable {
        guard let variable else { return try machineZone() }
        let text = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        guard !text.isEmpty else { return .utc }
        guard !text.hasPrefix("/") else { return try table(text) }
        let isFile = Self.isLegal(text) && hasFile(text)
        if !isFile, let zone = ZoneTable(rule: text, in: 1900...ZoneTable.lastYear) { return zone }
        do throws(TimeZoneError) {
            return try zone(named: text)
        } catch {
            throw error.prefixed(by: "TZ")
        }
    }

    private func machineZone() throws(TimeZoneError) -> ZoneTable {
        if FileStatus(path: localTime)?.kind == .file { return try table(localTime) }
        let text = try? FileContents.read(zoneName, upTo: 1000).flatMap(\.text).get()
        let name = String((text ?? "").prefix { !$0.isWhitespace })
        guard !name.isEmpty else { return .utc }
        do throws(TimeZoneError) {
            return try zone(named: name)
        } catch {
            throw error.prefixed(by: zoneName)
        }
    }

    // MARK: Files

    /// Whether a text has the form of a name, whatever files there are.
    package static func mayBeName(_ text: String) -> Bool { isLegal(text) }

    /// Whether each part of a name is one of a file or a folder below ours.
    private static func isLegal(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "_+-./".utf8.contains(byte)
            }
        }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return isPlain && 1...longestName ~= name.utf8.count
            && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") }
    }

    /// - Parameter name: A legal one.
    private func hasFile(_ name: String) -> Bool { FileStatus(path: "\(folder)/\(name)")?.kind == .file }

    private func table(_ path: String) throws(TimeZoneError) -> ZoneTable {
        switch FileContents.readBytes(path, upTo: ZoneTable.maximumBytes) {
        case .failure(let error): throw TimeZoneError(.file, "\(path) \(error.message)")
        case .success(let bytes):
            do throws(Refusal) {
                return try ZoneTable(tzif: bytes, until: ZoneTable.lastYear)
            } catch {
                throw TimeZoneError(.file, "\(path): \(error.message)")
            }
        }
    }

    /// The names of all zones, for a hint.
    private func names() -> [String] {
        var names: [String] = []
        var prefixes = [""]
        while let prefix = prefixes.popLast() {
            let found = (try? Folder.names(in: "\(folder)/\(prefix)")) ?? []
            // Other files, and the copies of the database with leap seconds, are in lower case.
            for name in found where name.first?.isUppercase == true {
                let path = prefix + name
                switch FileStatus(path: "\(folder)/\(path)")?.kind {
                case .file: names.append(path)
                // A folder may be a link to one that it is in.
                case .folder where prefix.utf8.count < Self.longestName: prefixes.append("\(path)/")
                case .folder, .pipe, .other, nil: break
                }
            }
        }
        return names.sorted()
    }
}
