import HTTPListener
package import Logging
import MQTT
package import Settings

/// The log lines at the start of a daemon: its version, topics, broker, folders and addresses.
package struct StartReport {
    private let logger: Logger

    package init(_ logger: Logger) { self.logger = logger }

    /// Logs what is known before the listeners are bound.
    ///
    /// - Parameters:
    ///   - root: `<base>/<node>`.
    ///   - folder: The state folder's path.
    package func begin(_ configuration: TrilateralConfiguration, node: String, root: String, folder: String) {
        let mqtt = configuration.mqtt
        let user = mqtt.username.map { " as \($0)" } ?? ""
        logger.notice("Trilateral \(ProgramInfo.currentVersion)")
        logger.notice("node: \(node), topics: \(root)/#")
        logger.notice("broker: \(mqtt.address)\(mqtt.tls.isEnabled ? " with TLS" : "")\(user)")
        logger.notice("state folder: \(folder)")
        let flare = configuration.flare
        if flare.mode == .remote, let url = flare.remote.url {
            logger.notice("Flare server: \(url) (remote)")
        } else if flare.mode == .remote, let station = flare.remote.serial {
            logger.notice(
                "Flare server: the station \(station), as \(flare.remote.resolver) knows it (remote)"
            )
        } else if !flare.isServing {
            logger.notice("Flare server: for this daemon only (flare.server.enabled is false)")
        }
    }

    /// Logs the address of the Flare server.
    func flareBound(host: String, port: Int) {
        logger.notice("Flare server: http://\(HostAndPort(host: host, port: port))")
    }

    /// Logs the address of the web listener.
    func webBound(_ listener: HTTPListenerConfiguration, port: Int) {
        logger.notice("web: \(listener.scheme)://\(HostAndPort(host: listener.host, port: port))")
    }
}

extension HTTPListenerConfiguration {
    fileprivate var scheme: String { tls == nil ? "http" : "https" }

    /// The address with which a browser on this machine reaches it.
    func address(onThisMachineAt port: Int) -> String {
        "\(scheme)://\(HostAndPort(host: host, port: port).onThisMachine)"
    }
}
