import Foundation
import OperatingSystem
import Positioning
import Settings

/// The file with the keys of beacons that change their identifier.
///
/// A line per beacon: the UUID, major and minor to report it as; its identity key, 32 hexadecimal digits; the exponent
/// of its period; and the time at which its clock was 0, as RFC 3339 or in seconds since 1970. # begins a comment.
enum IdentityKeys {
    struct Found: Sendable, Equatable {
        var beacons: [EphemeralBeacon]
        var warning: String?
    }

    private static let largestFile = 256 * 1024

    static func load(_ path: String) -> Result<Found, FileError> {
        FileContents.read(path, upTo: largestFile).flatMap(\.words).flatMap { text in
            do throws(FileError) {
                return .success(Found(beacons: try read(text), warning: FileContents.openness(of: path)))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func read(_ text: String) throws(FileError) -> [EphemeralBeacon] {
        var beacons: [EphemeralBeacon] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            guard !words.isEmpty else { continue }
            do throws(FileError) { beacons.append(try beacon(words)) } catch {
                throw FileError(message: "line \(index + 1): \(error.message)")
            }
            guard beacons.count <= EphemeralBeacons.most else {
                throw FileError(message: "holds more than \(EphemeralBeacons.most) keys")
            }
        }
        return beacons
    }

    /// Messages do not repeat the words: one of them is secret.
    private static func beacon(_ words: [String]) throws(FileError) -> EphemeralBeacon {
        func needed<Value>(_ value: Value?, _ message: String) throws(FileError) -> Value {
            guard let value else { throw FileError(message: message) }
            return value
        }
        let number = "major and minor must be 0 to 65535"
        let range = EphemeralBeacon.exponents
        _ = try needed(
            words.count == 6 ? words : nil,
            "must hold UUID, major, minor, key, exponent and start (has \(words.count) words)"
        )
        return EphemeralBeacon(
            identity: BeaconIdentity(
                uuid: try needed(BeaconUUID(words[0]), "the UUID must be 32 hexadecimal digits"),
                major: try needed(UInt16(words[1]), number),
                minor: try needed(UInt16(words[2]), number)
            ),
            key: try needed(CipherBlock(hexadecimal: words[3]), "the key must be 32 hexadecimal digits"),
            exponent: try needed(
                Int(words[4]).flatMap { range.contains($0) ? $0 : nil },
                "the exponent must be 0 to 15"
            ),
            clockStart: try needed(
                seconds(words[5]),
                "the start must be seconds since 1970, or a time such as 2026-01-01T00:00:00Z"
            )
        )
    }

    private static func seconds(_ text: String) -> Double? {
        if let number = Double(text) { return (-1e10...1e10).contains(number) ? number : nil }
        return (try? Date.ISO8601FormatStyle().parse(text))?.timeIntervalSince1970
    }
}
