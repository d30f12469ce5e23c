import Controller
import HTTPListener
import Profiles
package import Settings
import Web

/// The kiosk page, and the API over HTTP.
package struct KioskConfiguration: Sendable, Hashable {
    private static let usual = WebConfiguration().listener

    /// `nil` serves nothing.
    package var listen: HostAndPort? = HostAndPort(host: Self.usual.host, port: Self.usual.port)
    /// What links in email messages begin with.
    package var publicURL: String?
    package var allowedHosts: [String] = []
    package var allowedOrigins: [String] = []
    package var frameAncestors: [String] = []
    /// Networks of the proxies that are trusted to name the client, as `192.168.0.0/16`.
    package var proxies: [String] = []
    package var access = KioskAccess()

    /// ``publicURL`` without a slash at its end.
    var pageAddress: String? {
        publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }
}

extension ConfigurationDefaults {
    package var web: KioskConfiguration { KioskConfiguration() }
}

extension WebConfiguration {
    /// `nil` if nothing is served.
    init?(_ configuration: TrilateralConfiguration) {
        let web = configuration.web
        guard let listen = web.listen else { return nil }
        self.init(host: listen.host, port: listen.port)
        listener.allowedHosts = web.allowedHosts
        listener.allowedOrigins = web.allowedOrigins
        listener.tls = web.access.tls
        frameAncestors = web.frameAncestors
        publicURL = web.publicURL
        mapStyle = configuration.map.style
        modulesFolder = configuration.profiles.modules
        let lifecycle = configuration.lifecycle.adding(configuration.profiles)
        experience =
            ExperienceDocument(
                configuration.profiles.library,
                modules: configuration.profiles.classes,
                languages: lifecycle.languages.map(\.tag)
            )
            .members
    }
}

extension ConfigurationSection {
    static let kiosk = ConfigurationSection(
        summaries: [
            "web": "The kiosk page for displays, and the API over HTTP.",
            "web.tls": "TLS on the web listener; without it, it speaks plain HTTP.",
        ],
        keys: ConfigurationKey.table([
            .init("web.listen", \.web.listen, .optional(.hostAndPort)):
                "Where the kiosk page, the API and /healthz are served, HOST:PORT; 127.0.0.1 is for this machine only, "
                + "port 0 chooses a free port, null serves nothing.",
            .init("web.public_url", \.web.publicURL, .optional(.pageAddress)):
                "The address under which users reach the page, for links in email messages, as https://panel.example; null for none.",
            .init("web.allowed_hosts", \.web.allowedHosts, .list(.host)):
                "Further host names under which it can be reached (Host header); addresses of this machine are always allowed.",
            .init("web.allowed_origins", \.web.allowedOrigins, .list(.origin)):
                "Origins under which the page is seen behind a reverse proxy, and whose pages may send commands, as "
                + "https://name[:port].",
            .init("web.frame_ancestors", \.web.frameAncestors, .list(.origin)):
                "Origins whose pages may show the kiosk page in a frame, such as Home Assistant's http://homeassistant.local:8123.",
            .init("web.proxies", \.web.proxies, .list(.network)):
                "The networks of reverse proxies whose X-Forwarded-For is believed: limits for wrong passwords and the command "
                + "log then go by the client's address instead of the proxy's.",
        ]) + ConfigurationKey.kioskAccess,
        exchangeable: [.init(\.web)],
        rules: ConfigurationRule.kioskAccess,
        advice: [.openForwarders],
        usedLater: ConfigurationFile.kioskAccess
    )
}

extension TrilateralConfiguration {
    /// What to know of a proxy on this machine, which is usual: no mistake, and no warning; `nil` if none is trusted.
    package var hintOfLocalForwarders: String? {
        let proxies = self.web.proxies
        guard proxies.firstOfAll == nil, let own = proxies.first(where: \.isOfOwnMachine) else { return nil }
        return
            "\(own) is this machine: every program on it can choose the address by which wrong passwords are limited, and "
            + "which the command log shows. That matters only if others have programs or accounts here; then give the "
            + "proxy a machine of its own"
    }
}

extension ConfigurationRule {
    fileprivate static let openForwarders = ConfigurationRule(paths: ["web.proxies"]) {
        $0.web.proxies.firstOfAll.map {
            "\($0) is everybody, or nearly: each of them can choose the address by which wrong passwords are limited; "
                + "name the proxy's own address"
        }
    }
}
