import FlareClient
import Foundation
import MQTT
import OperatingSystem
import Sensors

/// Checks whether the files that a configuration names can be read and have the right contents.
///
/// These files are used long after the configuration was loaded: without the check, a mistake in one of them would only
/// show as a connection that is not made.
package struct ReferencedFiles {
    private enum Kind { case certificates, privateKey, recording }

    package private(set) var problems: [ConfigurationError] = []
    package private(set) var warnings: [ConfigurationError] = []

    private static let largestPEM = 4 * 1024 * 1024

    /// - Parameter invalid: Keys with a problem of their own.
    package init(_ loaded: LoadedConfiguration, schema: ConfigurationSchema, except invalid: Set<String> = [])
    {
        let (mqtt, remote) = (loaded.values.mqtt, loaded.values.flare.remote)
        let files: [(path: String, file: String?, kind: Kind)] = [
            ("mqtt.tls.ca_file", mqtt.tls.caFile, .certificates),
            ("mqtt.tls.certificate_file", mqtt.tls.certificateFile, .certificates),
            ("mqtt.tls.key_file", mqtt.tls.keyFile, .privateKey),
            ("flare.remote.ca_file", remote.tls.caFile, .certificates),
            ("flare.remote.certificate_file", remote.tls.certificateFile, .certificates),
            ("flare.remote.key_file", remote.tls.keyFile, .privateKey),
            ("sensors.replay.file", loaded.values.sensors.replayFile, .recording),
        ]
        for (path, file, kind) in files {
            guard let file, !invalid.contains(path) else { continue }
            func found(_ message: String) -> ConfigurationError {
                ConfigurationError(loaded.origin(path), path, message)
            }
            if let problem = Self.problem(of: file, kind) {
                problems.append(found(problem))
            } else if kind == .privateKey, let warning = FileContents.openness(of: file) {
                warnings.append(found(warning))
            }
        }
        for file in schema.usedLater where !invalid.contains(file.path) {
            var copy = loaded
            let found = schema.load(file, into: &copy)
            problems += found.problems
            warnings += found.warnings
        }
    }

    private static func problem(of file: String, _ kind: Kind) -> String? {
        if kind == .recording {
            do throws(SensorError) {
                _ = try Recording(.file(file))
                return nil
            } catch {
                return "\(error)"
            }
        }
        if let status = FileStatus(path: file), status.kind != .file {
            return "\(file) is a folder, or no plain file"
        }
        switch FileContents.read(file, upTo: largestPEM) {
        case .failure(let error): return "\(file) \(error.message)"
        case .success(let contents):
            // OpenSSL takes the mark for a part of the first line, and skips that certificate.
            let marked = contents.hasMark ? "begins with a byte order mark (U+FEFF); remove it" : nil
            let found = marked ?? problem(in: String(decoding: contents.bytes, as: UTF8.self), kind)
            return found.map { "\(file) \($0)" }
        }
    }

    /// PEM: OpenSSL checks what is between the markers.
    private static func problem(in text: String, _ kind: Kind) -> String? {
        guard kind == .privateKey else {
            let isThere = ["CERTIFICATE", "TRUSTED CERTIFICATE"].contains {
                text.contains("-----BEGIN \($0)-----")
            }
            return isThere ? nil : "holds no certificate (PEM, with -----BEGIN CERTIFICATE-----)"
        }
        guard text.contains("PRIVATE KEY-----") else {
            return "holds no private key (PEM, with -----BEGIN PRIVATE KEY-----)"
        }
        let isEncrypted = text.contains("ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
        return isEncrypted ? "is encrypted; a key without a passphrase is needed" : nil
    }
}
