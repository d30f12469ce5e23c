package import Directory
import OperatingSystem
package import Resolution
package import Settings

/// A resolver of station addresses in the daemon.
package struct ResolverSettings: Sendable, Hashable {
    package var isEnabled = false
    package var listen = [HostAndPort(host: "127.0.0.1", port: DirectoryMessage.standardPort)]
    package var address = AddressRule.auto
    package var acknowledges = false
    package var updateFrom = ResolverConfiguration.standardUpdateFrom
    package var requestFrom = ResolverConfiguration.standardRequestFrom
    package var keysFile: String?
    package var perSecond = ResolverConfiguration().perSecond
}

extension ConfigurationDefaults {
    package var resolver: ResolverSettings { ResolverSettings() }
}

extension ResolverConfiguration {
    /// - Parameter keys: Those of the file.
    package init(_ settings: ResolverSettings, keys: [StationSerial: [UInt8]]) {
        self.init()
        listeners = settings.listen.map { Listener(host: $0.host, port: $0.port) }
        rule = settings.address
        acknowledges = settings.acknowledges
        updateFrom = settings.updateFrom.compactMap { NetworkRange($0) }
        requestFrom = settings.requestFrom.compactMap { NetworkRange($0) }
        perSecond = settings.perSecond
        self.keys = keys
    }
}

extension ConfigurationSection {
    static let resolver = ConfigurationSection(
        summaries: [
            "resolver":
                "A directory of servers whose address changes: they tell it, and clients ask by serial."
        ],
        keys: ConfigurationKey.table([
            .init("resolver.enabled", \.resolver.isEnabled, .flag):
                "Whether this daemon is a resolver.",
            .init("resolver.listen", \.resolver.listen, .list(.hostAndPort)):
                "Where it listens, HOST:PORT; 127.0.0.1 is for this machine only. Old clients ask at port 80: add 0.0.0.0:80.",
            .init("resolver.address", \.resolver.address, .choice()):
                "Which address of a station counts: the claimed one, its peer's, or auto: the claimed one unless it is "
                + "private while the peer's is not.",
            .init("resolver.ack", \.resolver.acknowledges, .flag):
                "Whether an update is answered with the serial and the stored address, for old stations that wait for it.",
            .init("resolver.update_from", \.resolver.updateFrom, .list(.network)):
                "Networks whose unsigned updates count, as 192.168.0.0/16.",
            .init("resolver.request_from", \.resolver.requestFrom, .list(.network)):
                "Networks that may ask.",
            .init("resolver.keys_file", \.resolver.keysFile, .optional(.path)):
                "A file with a line for each station that signs its updates: serial and 64 hexadecimal digits.",
            .init("resolver.per_second", \.resolver.perSecond, .number(0.1...1000)):
                "Most names and updates of one peer (of one /64 network of IPv6), after 20 times as many at once; this "
                + "machine has no limit.",
        ]),
        exchangeable: [.init(\.resolver)],
        advice: [
            .init(paths: ["resolver.update_from", "resolver.enabled"]) {
                guard $0.resolver.isEnabled, let all = $0.resolver.updateFrom.firstOfAll else { return nil }
                return
                    "\(all) is everybody: whoever can reach the resolver may move a station that does not sign its updates"
            }
        ],
        usedLater: [
            .init("resolver.keys_file") { loaded in
                guard let file = loaded.values.resolver.keysFile else { return .success(nil) }
                return StationKeys.load(file).map { _ in FileContents.openness(of: file) }
            }
        ]
    )
}
