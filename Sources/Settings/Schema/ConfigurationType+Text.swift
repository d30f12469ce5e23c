import Controller
import Foundation
import MQTT
import Resolution

extension ConfigurationType<String> {
    /// A text that satisfies a condition.
    package static func checked(
        _ legal: String,
        _ isLegal: @escaping @Sendable (String) -> Bool
    ) -> ConfigurationType {
        scalar(legal) {
            isLegal($0) ? $0 : nil
        } encode: {
            $0
        }
    }

    /// Any text without control characters.
    package static func text(upTo limit: Int = 1024) -> ConfigurationType {
        checked("a text of at most \(limit) bytes") {
            !$0.isEmpty && $0.utf8.count <= limit
                && !$0.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
    }

    /// The path of a file; a relative one begins at the folder of the configuration file.
    package static var path: ConfigurationType {
        var form = checked("the path of a file") {
            !$0.isEmpty && $0.utf8.count <= 4096 && !$0.utf8.contains(0)
        }
        form.isFile = true
        return form
    }

    /// The path of a file that the daemon writes.
    package static var writtenPath: ConfigurationType {
        var form = path
        form.isWritten = true
        return form
    }

    package static var host: ConfigurationType {
        checked("a host name or address without a port") {
            HostAndPort.isHost($0) || HostAndPort.isIPv6($0[...])
        }
    }

    /// A web origin: `https://name[:port]`.
    package static var origin: ConfigurationType {
        checked("an origin such as https://name:8080, without user name, password and path") { text in
            guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
            let rest = text.dropFirst(scheme.count)
            return HostAndPort.isHost(rest) || HostAndPort(String(rest)) != nil
        }
    }

    /// The address under which a page is reached: `https://name[:port]`, and a path that a proxy puts in front.
    package static var pageAddress: ConfigurationType {
        checked("an address such as https://panel.example/kiosk, without user name and query") { text in
            guard let scheme = ["http://", "https://"].first(where: text.hasPrefix), text.utf8.count <= 1024,
                text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#"?#"<>\^`{|}"#.utf8.contains($0) })
            else { return false }
            let host = text.dropFirst(scheme.count).prefix { $0 != "/" }
            return HostAndPort.isHost(host) || HostAndPort(String(host)) != nil
        }
    }

    /// A network, or an address.
    package static var network: ConfigurationType {
        checked("a network such as 192.168.0.0/16 or ::1/128, without other bits behind its length") {
            NetworkRange($0) != nil
        }
    }

    /// An MQTT topic, or the first levels of one.
    package static var topic: ConfigurationType {
        checked(
            "a topic of 1 to 200 bytes without +, #, leading $, without a / at its ends, and with at most 50 in it"
        ) {
            isTopic($0[...])
        }
    }

    /// A topic filter that leaves out the topics of others: its first level is no wildcard.
    package static var topicFilter: ConfigurationType {
        checked(
            "a topic filter of at most 200 bytes such as replies/#, that does not begin with +, #, $ or /"
        ) {
            $0.utf8.count <= 200 && !["+", "#", "$", "/"].contains($0.prefix(1)) && TopicRules.isFilter($0)
        }
    }

    /// Most slashes of a configured topic: others are put behind it, or it is put into another one, and brokers end the
    /// link of a client that uses more than ``TopicRules/maximumSlashes``.
    private static var mostSlashes: Int { 50 }

    /// Whether a text is a topic, or the first levels of one.
    package static func isTopic(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 200 && !text.hasPrefix("$") && !text.hasPrefix("/")
            && !text.hasSuffix("/") && text.utf8.count { $0 == UInt8(ascii: "/") } <= mostSlashes
            && !text.unicodeScalars.contains {
                $0 == "+" || $0 == "#" || $0.properties.generalCategory == .control
            }
    }

    /// The tag of a language: `de`, `en-US`.
    package static var languageTag: ConfigurationType {
        checked("a language tag such as en-US: letters, digits and hyphens, at most 35") {
            (1...35).contains($0.utf8.count)
                && $0.unicodeScalars.allSatisfy {
                    $0 == "-"
                        || $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                }
        }
    }

    package static var slug: ConfigurationType {
        checked("1 to 48 of a-z, 0-9 and hyphens") { SlugRegistry.slug(from: $0) == $0 }
    }
}

extension ConfigurationType<HostAndPort> {
    /// A server to connect to.
    package static var server: ConfigurationType {
        scalar("HOST:PORT with a port of 1 to 65535") {
            HostAndPort($0).flatMap { $0.port > 0 ? $0 : nil }
        } encode: {
            $0.description
        }
    }

    /// An address to listen on.
    package static var hostAndPort: ConfigurationType { scalar("HOST:PORT with a port of 0 to 65535") }
}
