import Controller
import Foundation
import Positioning
import Sensors

extension ConfigurationType<String> {
    static func checked(
        _ legal: String,
        _ isLegal: @escaping @Sendable (String) -> Bool
    ) -> ConfigurationType {
        one(legal) {
            isLegal($0) ? $0 : nil
        } show: {
            $0
        }
    }

    /// Any text without control characters.
    static func text(upTo limit: Int = 1024) -> ConfigurationType {
        checked("a text of at most \(limit) bytes") {
            !$0.isEmpty && $0.utf8.count <= limit
                && !$0.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
    }

    /// The path of a file; a relative one begins at the folder of the configuration file.
    static var path: ConfigurationType {
        var form = checked("the path of a file") {
            !$0.isEmpty && $0.utf8.count <= 4096 && !$0.utf8.contains(0)
        }
        form.isFile = true
        return form
    }

    static var host: ConfigurationType {
        checked("a host name or address without a port") {
            HostAndPort.isHost($0) || HostAndPort.isIPv6($0[...])
        }
    }

    /// A web origin: `https://name[:port]`.
    static var origin: ConfigurationType {
        checked("an origin such as https://name:8080, without user name, password and path") { text in
            guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
            let rest = text.dropFirst(scheme.count)
            return HostAndPort.isHost(rest) || HostAndPort(String(rest)) != nil
        }
    }

    /// An MQTT topic, or the first levels of one.
    package static var topic: ConfigurationType {
        checked("a topic of 1 to 200 bytes without +, #, leading $, and without a / at its ends") {
            isTopic($0[...])
        }
    }

    static func isTopic(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 200 && !text.hasPrefix("$") && !text.hasPrefix("/")
            && !text.hasSuffix("/")
            && !text.unicodeScalars.contains {
                $0 == "+" || $0 == "#" || $0.properties.generalCategory == .control
            }
    }

    package static var slug: ConfigurationType {
        checked("1 to 48 of a-z, 0-9 and hyphens") { SlugRegistry.slug(from: $0) == $0 }
    }
}

extension ConfigurationType<UUID> {
    static var uuid: ConfigurationType {
        one("a UUID such as f7826da6-4fa2-4e98-8024-bc5b71e0893e") {
            UUID(uuidString: $0)
        } show: {
            $0.uuidString.lowercased()
        }
    }
}

extension ConfigurationType<HostAndPort> {
    static var hostAndPort: ConfigurationType {
        one("HOST:PORT") {
            HostAndPort($0)
        } show: {
            $0.description
        }
    }
}

extension ConfigurationType<AdapterChoice> {
    static var adapter: ConfigurationType {
        .one(AdapterChoice.legal) {
            AdapterChoice($0)
        } show: {
            $0.description
        }
    }
}

extension ConfigurationType<DeclinationSetting> {
    static var declination: ConfigurationType {
        .one("auto, or degrees from -180 to 180") {
            DeclinationSetting($0)
        } show: {
            $0.description
        }
    }
}

extension ConfigurationType<Matrix3> {
    static var matrix: ConfigurationType {
        .one("nine numbers, as \"1, 0, 0; 0, 1, 0; 0, 0, 1\"") {
            Matrix3($0)
        } show: {
            $0.text
        }
    }
}
