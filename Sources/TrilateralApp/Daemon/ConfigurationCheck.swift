import Accounts
import Daemon
import Foundation
import OperatingSystem
package import Settings

/// Everything that `check` says of a configuration.
package struct ConfigurationCheck {
    let loaded: LoadedConfiguration
    package private(set) var problems: [ConfigurationError]
    private(set) var warnings: [String] = []
    private let unit: ServiceUnit?

    /// Keys whose files the daemon writes.
    private static let written = ["log.file", "people.acl_file"]
    /// Files that have advice for whoever closed them too much for the service.
    private static let secrets = ["password_file", "token_file", "key_file", "keys_file"]

    /// - Parameters:
    ///   - unit: The service whose user it is judged for; `nil` for the user of this process.
    package init(file: String?, environment: [String: String], unit: ServiceUnit?) {
        self.unit = unit
        let variables = unit?.variables ?? [:]
        var environment = environment
        environment.merge(variables) { own, _ in own }
        (loaded, problems) = ConfigurationLoader.examine(
            file: file,
            environment: environment,
            schema: .commandLine
        )
        let files = ReferencedFiles(loaded, schema: .commandLine, except: Set(problems.map(\.path)))
        problems += files.problems
        let open = unit.map { $0.openFiles ?? .max } ?? OpenFiles.raisedLimit()
        if let problem = loaded.values.problem(ofDevicesWithOpenFiles: open) { report("devices", problem) }
        let found =
            loaded.allWarnings + files.warnings
            + [loaded.warningOfUnreachableStation].compactMap(\.self)
        warnings = found.inOrder.map(\.description)
        if let unit {
            let service = ServiceAccess(unit)
            // Another file may be a draft.
            if let file, file == unit.configurationFile, let problem = service.problem(reading: file) {
                problems.append(
                    ConfigurationError(.wholeFile(file), "", "for the service's user: \(problem)")
                )
            }
            judge(service, handedOver: Set(unit.credentials.values))
        } else {
            judgeOwnFiles()
            warnings += Self.warnings(of: environment)
        }
        if let zone = environment["TZ"], let problem = Self.problem(ofTimeZone: zone) {
            warnings.append(problem)
        }
        let state = unit == nil ? StateFolder.standard(environment) : StateFolder.service
        if let open = StateFolder.warning(of: state) { warnings.append(open) }
        warnings += Self.unknownNames(loaded.values, in: state)
    }

    /// That `backup.folder` cannot be used; `nil` if it can, or is not named.
    ///
    /// A warning, as the daemon works without backups. It is looked for when it is asked for, since the folder's disk may
    /// not answer; `doctor` has a check of its own for it.
    var warningOfBackups: String? {
        let settings = loaded.values.backup
        guard let folder = settings.folder, settings.everyHours > 0,
            let problem = BackupFolder.problem(of: folder, for: unit.map { ServiceAccess($0) })
        else { return nil }
        let whose = unit == nil ? "" : ", for the service's user:"
        let text = "no backups can be made: \(folder)\(whose) \(problem)"
        return "\(ConfigurationError(loaded.origin("backup.folder"), "backup.folder", text))"
    }

    /// What is as it should be, and good to know.
    var hints: [String] {
        [loaded.values.hintOfLocalForwarders].compactMap(\.self)
            .map { "\(ConfigurationError(loaded.origin("web.proxies"), "web.proxies", $0))" }
    }

    /// Users, things and zones that the configuration names and the state folder does not have; none if that cannot be
    /// read.
    private static func unknownNames(_ values: TrilateralConfiguration, in folder: String) -> [String] {
        let url = URL(filePath: folder, directoryHint: .isDirectory)
        if access(url.appending(path: "trilateral.db").path(percentEncoded: false), F_OK) != 0 {
            guard errno == ENOENT else { return [] }
            return values.people.problems(among: nil) + values.problems(ofDeviceUsersAmong: nil)
        }
        guard let store = try? StateStore(reading: url) else { return [] }
        defer { store.close() }
        let users = (try? store.withAccounts { try $0.table() }).map {
            values.people.problems(among: $0) + values.problems(ofDeviceUsersAmong: $0)
        }
        return (users ?? []) + values.problems(ofOwnDeviceAmong: store)
            + ((try? store.unknownNames(of: values)) ?? [])
    }

    private mutating func judgeOwnFiles() {
        for path in Self.written {
            for file in files(of: path) {
                guard let problem = LogFile.problem(of: file) else { continue }
                report(path, path == "log.file" ? problem : "\(file) cannot be written: \(problem)")
            }
        }
    }

    private mutating func judge(_ service: ServiceAccess, handedOver: Set<String>) {
        let forbidden = systemMessage(EACCES)
        // The kernel's folder of sensors is missing where there are none.
        let keys = ConfigurationSchema.commandLine.keys.filter { $0.path != "sensors.compass.iio_folder" }
        for key in keys {
            let isWritten = Self.written.contains(key.path)
            var problem: String?
            for file in files(of: key.path) where !handedOver.contains(file) {
                let found = isWritten ? service.problem(writing: file) : service.problem(reading: file)
                guard let found, problem == nil else { continue }
                problem =
                    "\(file), for the service's user: \(found)\(Self.advice(for: key.path, isWritten, found))"
            }
            let own = problems.filter { $0.path == key.path && $0.message.hasSuffix(forbidden) }
            if !own.isEmpty {
                // That this user may not look does not matter to the service.
                problems.removeAll { $0.path == key.path && $0.message.hasSuffix(forbidden) }
                let note = "only root, and the service's user, can look into this file; run check with sudo"
                if problem == nil {
                    warnings.append("\(ConfigurationError(loaded.origin(key.path), key.path, note))")
                }
            }
            guard let problem, !problems.contains(where: { $0.path == key.path }) else { continue }
            report(key.path, problem)
        }
    }

    private static func advice(for key: String, _ isWritten: Bool, _ problem: String) -> String {
        guard !isWritten, problem.contains("by it"), secrets.contains(where: key.hasSuffix) else { return "" }
        return key == "mqtt.password_file"
            ? "; leave the key out and let systemd pass the file: see LoadCredential in the unit"
            : "; give it a group that the service has (SupplementaryGroups=) and mode 640"
    }

    private func files(of path: String) -> [String] {
        ConfigurationSchema.commandLine.keys.first { $0.path == path }?.files(in: loaded.values) ?? []
    }

    private mutating func report(_ path: String, _ message: String) {
        problems.append(ConfigurationError(loaded.origin(path), path, message))
    }

    /// What is wrong with the variables that say where files are.
    private static func warnings(of environment: [String: String]) -> [String] {
        let named = ["STATE_DIRECTORY", "XDG_STATE_HOME"].contains { environment[$0]?.hasPrefix("/") == true }
        guard !named, let problem = HomeFolder.problem(environment) else { return [] }
        let folder = StateFolder.standard(environment)
        return ["\(problem): the state folder is \(folder); set HOME, or name the folder with --state"]
    }

    /// A zone that the system does not know counts as UTC, without a word.
    private static func problem(ofTimeZone name: String) -> String? {
        let zone = name.drop { $0 == ":" }
        // `CET-1CEST` and so on say the rules themselves; a path names a file.
        guard zone.contains("/"), !zone.hasPrefix("/"), TimeZone(identifier: String(zone)) == nil else {
            return nil
        }
        return "TZ: the system knows no time zone \(name); times are in UTC"
    }
}
