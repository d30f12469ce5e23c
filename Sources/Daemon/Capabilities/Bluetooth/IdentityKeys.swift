import Foundation
import OperatingSystem
import Positioning

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
        guard words.count == 6 else {
            throw FileError(
                message: "must hold UUID, major, minor, key, exponent and start (has \(words.count) words)"
            )
        }
        guard let uuid = BeaconUUID(words[0]) else {
            throw FileError(message: "the UUID must be 32 hexadecimal digits")
        }
        guard let major = UInt16(words[1]), let minor = UInt16(words[2]) else {
            throw FileError(message: "major and minor must be 0 to 65535")
        }
        guard let key = CipherBlock(hexadecimal: words[3]) else {
            throw FileError(message: "the key must be 32 hexadecimal digits")
        }
        guard let exponent = Int(words[4]), EphemeralBeacon.exponents.contains(exponent) else {
            throw FileError(message: "the exponent must be 0 to 15")
        }
        guard let start = seconds(words[5]) else {
            throw FileError(
                message: "the start must be seconds since 1970, or a time such as 2026-01-01T00:00:00Z"
            )
        }
        return EphemeralBeacon(
            identity: BeaconIdentity(uuid: uuid, major: major, minor: minor),
            key: key,
            exponent: exponent,
            clockStart: start
        )
    }

    private static func seconds(_ text: String) -> Double? {
        if let number = Double(text) { return (-1e10...1e10).contains(number) ? number : nil }
        return (try? Date.ISO8601FormatStyle().parse(text))?.timeIntervalSince1970
    }
}
