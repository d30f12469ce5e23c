import Controller
import Databases
import Foundation
import HTTPListener
import JSON
import Settings

extension Capability {
    /// Backups of the databases, and the weekly check.
    static let backup = Capability(
        name: "backup",
        settings: .backup,
        alerts: [BackupService.backupAlert, BackupService.checkAlert]
    ) { context in
        let service = BackupService(
            context.store,
            in: URL(filePath: context.store.path).deletingLastPathComponent(),
            context.configuration.backup,
            sources: { [databases = context.databases] in
                databases.storeWaiting()
                return databases.sources
            },
            clock: { [clock = context.clock] in clock().wallMilliseconds },
            send: context.send,
            logger: context.logger
        )
        var parts = CapabilityParts()
        parts.services = [DaemonService.untilShutdown("backup") { await service.run() }]
        parts.lastBackup = { service.health.lastBackup.map { Int($0 / 1000) } }
        parts.localAnswers = [{ await BackupAPI.answer($0, service) }]
        return parts
    }
}

/// The backup that a verb asks for at `admin.sock`.
package enum BackupAPI {
    /// `POST` makes one in the state folder, and says where.
    package static let path = ["api", "backup"]

    static func answer(_ request: LocalRequest, _ service: BackupService) async -> LocalResponse? {
        guard request.path == path else { return nil }
        guard request.method == "POST" else { return LocalResponse(405) }
        switch await service.makeToHandOver() {
        case .success(let backup):
            return LocalResponse(200, JSONValue.object(["folder": .string(backup.path)]).bytes)
        case .failure(let error):
            let json: JSONValue = ["message": .string("\(error)")]
            return LocalResponse(error == .busy ? 409 : 500, json.bytes)
        }
    }
}
