import Controller
import Foundation
import Logging
import Settings
import Threading

extension Capability {
    /// Keeps the place of a remote server, for a start without it.
    static let mirror = Capability(name: "mirror") { context in
        let folder = URL(filePath: context.store.path).deletingLastPathComponent()
        let (flare, loop, state) = (context.configuration.flare, context.loop, context.state)
        guard flare.mode == .remote, flare.remote.isMirrored else {
            // A mirror that is switched off is not kept.
            MirrorStore.remove(from: folder)
            return nil
        }
        do throws(StateStoreError) {
            let mirror = PlaceMirror(
                try MirrorStore(folder: folder),
                server: flare.remote.url ?? "station:\(flare.remote.serial ?? "")",
                capture: { wanted in
                    await withCheckedContinuation { continuation in
                        loop.perform { continuation.resume(returning: MirrorCapture(state(), wanted)) }
                    }
                },
                send: context.send,
                logger: context.logger
            )
            var parts = CapabilityParts()
            parts.observer = StateObserver(handle: mirror.observe)
            parts.receivedFromFlare = mirror.receive
            parts.services = [DaemonService.untilShutdown("mirror") { await mirror.run() }]
            return parts
        } catch {
            context.logger.warning("the place is not kept", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
