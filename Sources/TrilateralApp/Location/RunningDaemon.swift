import Foundation
package import JSON
package import Settings

/// A daemon of this machine, as the file describes it that it keeps while it runs; see ``RunningDaemonFile``.
package struct RunningDaemon: Sendable, Hashable {
    package var processID: Int32
    /// An absolute path.
    package var stateFolder: String
    /// An absolute path; `nil` if it runs without a configuration file.
    package var configurationFile: String?
    /// Where its Flare server listens; `nil` while it does not.
    package var flare: HostAndPort?
    /// The values of `mqtt.…` that it uses, by key path, without secrets; the inner `nil` is null.
    package var broker: [String: String?]
    /// The user whose file it is.
    package var owner: UInt32

    package init(processID: Int32, stateFolder: String, owner: UInt32) {
        (self.processID, self.stateFolder, self.owner) = (processID, stateFolder, owner)
        broker = [:]
    }

    /// Its node on the broker.
    package var node: String { text("mqtt.node") ?? "" }

    /// The broker's address, for messages.
    var brokerAddress: HostAndPort {
        HostAndPort(
            host: text("mqtt.host") ?? "localhost",
            port: text("mqtt.port").flatMap { Int($0) } ?? 1883
        )
    }

    /// What distinguishes daemons on brokers.
    var topics: [String] { [brokerAddress.description, text("mqtt.base") ?? "", node] }

    private func text(_ path: String) -> String? { broker[path] ?? nil }
}

extension RunningDaemon {
    /// Its configuration file, which a reload may have found first, and the values of the section `mqtt` that a client
    /// needs too.
    /// - Parameter node: The node in use, which the configuration may leave open.
    package mutating func take(_ loaded: LoadedConfiguration, node: String) {
        configurationFile = loaded.file.map { URL(filePath: $0).standardized.path(percentEncoded: false) }
        broker = [:]
        for key in ConfigurationSchema.commandLine.keys where key.path.hasPrefix("mqtt.") && !key.isSecret {
            switch key.encode(loaded.values) {
            case .null: broker.updateValue(nil, forKey: key.path)
            case .scalar(let text, _): broker[key.path] = text
            case .list, .mapping: break
            }
        }
        broker["mqtt.node"] = node
    }

    /// The values for a client; files only if they may be read for its sake, and no password file beside a password.
    func values(for environment: [String: String]) -> [String: String?] {
        let isTrusted = DaemonLocator(environment).isTrusted(self)
        let schema = ConfigurationSchema.commandLine
        return broker.filter { path, _ in
            let isFile = schema.keys.contains { $0.path == path && $0.isFile }
            guard isFile else { return true }
            return isTrusted
                && !(path == "mqtt.password_file" && environment["TRILATERAL_MQTT_PASSWORD"] != nil)
        }
    }

    package var json: JSONValue {
        [
            "pid": JSONValue(Int(processID)), "state": .string(stateFolder),
            "config": configurationFile.map { .string($0) } ?? .null,
            "flare": flare.map { .string($0.description) } ?? .null,
            "mqtt": .object(JSONObject(broker.mapValues { $0.map { .string($0) } ?? .null })),
        ]
    }

    /// `nil` for another text.
    package init?(json: JSONValue, owner: UInt32) {
        guard let number = json["pid"]?.integer, let processID = Int32(exactly: number),
            let state = json["state"]?.string, state.hasPrefix("/"), let values = json["mqtt"]?.object
        else { return nil }
        self.init(processID: processID, stateFolder: state, owner: owner)
        configurationFile = json["config"]?.string.flatMap { $0.hasPrefix("/") ? $0 : nil }
        flare = json["flare"]?.string.flatMap { HostAndPort($0) }
        for (path, value) in values where path.hasPrefix("mqtt.") {
            switch value {
            case .string(let text): broker[path] = text
            default: broker.updateValue(nil, forKey: path)
            }
        }
    }
}

extension LoadedConfiguration {
    /// The values, with the place where a daemon's Flare server really listens, unless a variable names another.
    func values(servedBy daemon: RunningDaemon?) -> TrilateralConfiguration {
        guard let flare = daemon?.flare else { return values }
        if case .variable = origin("flare.server.listen") { return values }
        var values = values
        values.flare.mode = .embedded
        values.flare.isServerEnabled = true
        values.flare.listen = flare
        return values
    }
}
