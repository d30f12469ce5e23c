import Accounts
import HTTPListener
import OperatingSystem
import Settings
import Text

/// Who may use the kiosk page and the API, and how connections are encrypted.
package struct KioskAccess: Sendable, Hashable {
    /// Whether everybody in the network may use them, without a password.
    package var isOpen = false
    package var passwordFile: String?
    package var certificateFile: String?
    package var keyFile: String?

    package init() {}

    /// `nil` for plain HTTP.
    var tls: ListenerTLSFiles? {
        guard let certificateFile, let keyFile else { return nil }
        return ListenerTLSFiles(certificate: certificateFile, key: keyFile)
    }

    /// Reads the password; `nil` if none is configured.
    func password() throws(ConfigurationErrors) -> [UInt8]? {
        guard let passwordFile else { return nil }
        switch Self.password(in: passwordFile) {
        case .success(let found): return found.bytes
        case .failure(let error): throw ConfigurationErrors("web.password_file", error.message)
        }
    }

    /// The password as a text, for the mask of the log; `nil` if none is configured, or it cannot be read.
    var passwordText: String? {
        guard let passwordFile, case .success(let found) = Secret.load(passwordFile) else { return nil }
        return found.secret.reveal()
    }

    /// The password in a file, with a warning if others can read it.
    fileprivate static func password(in file: String) -> Result<
        (bytes: [UInt8], warning: String?), FileError
    > {
        Secret.load(file).flatMap { found in
            let text = found.secret.reveal()
            guard !text.contains(where: \.isNewline) else {
                return .failure(
                    FileError(message: "holds more than one line; only the password belongs there")
                )
            }
            let lengths = PasswordHash.listenerLengths
            guard lengths.contains(text.utf8.count) else {
                let most = lengths.upperBound
                return .failure(FileError(message: "holds a password of more than \(most) bytes"))
            }
            return .success((Array(text.utf8), found.warning))
        }
    }
}

extension ConfigurationKey {
    static let kioskAccess = ConfigurationKey.table([
        .init("web.password_file", \.web.access.passwordFile, .optional(.path)):
            "A file that contains only the password for the page and the API; only its owner should be able to read it.",
        .init("web.open", \.web.access.isOpen, .flag):
            "Whether other machines may use the page and the API without a password.",
        .init("web.tls.certificate_file", \.web.access.certificateFile, .optional(.path)):
            "The certificate for https (PEM, with those between it and the authority's); read again when it changes.",
        .init("web.tls.key_file", \.web.access.keyFile, .optional(.path)):
            "The private key of the certificate (PEM, not encrypted).",
    ])
}

extension ConfigurationRule {
    static let kioskAccess: [ConfigurationRule] = [
        .init(paths: ["web.listen", "web.password_file", "web.open"]) {
            guard let listen = $0.web.listen, $0.web.access.passwordFile == nil, !$0.web.access.isOpen,
                !HTTPListenerConfiguration(host: listen.host, port: listen.port).isOnlyForThisMachine
            else { return nil }
            return "can be reached from other machines: set web.password_file as well, "
                + "or web.open: true to let everybody in (is \(listen))"
        },
        .init(paths: ["web.open", "web.password_file"]) {
            $0.web.access.isOpen && $0.web.access.passwordFile != nil
                ? "set either this or web.password_file, not both" : nil
        },
        .init(paths: ["web.tls.certificate_file", "web.tls.key_file"]) {
            $0.web.access.certificateFile != nil && $0.web.access.keyFile == nil
                ? "needs web.tls.key_file as well" : nil
        },
        .init(paths: ["web.tls.key_file", "web.tls.certificate_file"]) {
            $0.web.access.keyFile != nil && $0.web.access.certificateFile == nil
                ? "needs web.tls.certificate_file as well" : nil
        },
    ]
}

extension ConfigurationFile {
    static let kioskAccess: [ConfigurationFile] = [
        .init("web.password_file") { loaded in
            guard let file = loaded.values.web.access.passwordFile else { return .success(nil) }
            return KioskAccess.password(in: file).map(\.warning)
        },
        .init("web.tls.certificate_file") { loaded in
            guard let tls = loaded.values.web.access.tls else { return .success(nil) }
            do throws(ListenerTLSError) {
                return .success(try tls.load().problem(at: HTTPDate.now()))
            } catch {
                return .failure(FileError(message: "\(error)"))
            }
        },
        .init("web.tls.key_file") { loaded in
            .success(loaded.values.web.access.keyFile.flatMap { FileContents.openness(of: $0) })
        },
    ]
}
